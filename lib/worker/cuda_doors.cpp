#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "device/cuda/compare.h"
#include "device/cuda/context.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"
#include "device/cuda/snapshot.h"
#include "util/files.h"
#include "util/machine.h"
#include "worker/doors.h"

namespace fib::worker {
namespace {

using device::cuda::Comparer;
using device::cuda::Context;
using device::cuda::DeviceMemory;
using device::cuda::Findings;
using device::cuda::Kernels;
using device::cuda::SharedDeviceMemory;

// 8 bytes of the repeated element.
std::uint64_t repeated(tensor::DType dtype, const eval::PoisonElement& element) {
  std::uint64_t pattern = 0;
  const std::size_t bytes = std::max<std::size_t>(1, tensor::bits_of(dtype) / 8);
  eval::fill_pattern(&pattern, sizeof pattern, element.data(), bytes);
  return pattern;
}

// What all doors of one device share.
struct Tools {
  Context context;
  Kernels kernels;
  Comparer comparer;
  DeviceMemory snapshot;  // where outputs are judged
  DeviceMemory expected;

  explicit Tools(const UseDevice& device)
      : context(device.uuid),
        kernels(context, util::read_file(device.kernels_path)),
        comparer(context, kernels) {}

  void reserve(DeviceMemory& memory, std::uint64_t bytes) {
    if (memory.size() < bytes || memory.data() == 0) memory = DeviceMemory(context, bytes);
  }
  void upload(CUdeviceptr target, const void* source, std::uint64_t bytes) {
    context.check(context.driver().copy_to_device(target, source, bytes, context.stream()),
                  "cuMemcpyHtoDAsync");
  }
  void copy(CUdeviceptr target, CUdeviceptr source, std::uint64_t bytes) {
    context.check(context.driver().copy(target, source, bytes, context.stream()), "cuMemcpyDtoDAsync");
  }
};

class CudaDoor : public Door {
 public:
  CudaDoor(Tools& tools, const eval::Layout& layout)
      : tools_(tools),
        layout_(layout),
        inputs_(SharedDeviceMemory::create(tools.context, layout.input_bytes)),
        outputs_(SharedDeviceMemory::create(tools.context, layout.output_bytes)) {}

  void fill(const eval::InputSets& sets, std::string_view seed) override {
    const auto contents = sets.contents(seed);
    for (std::size_t i = 0; i < contents.size(); ++i) fill(layout_.inputs[i], contents[i]);
    tools_.context.wait();
  }

  void poison(const std::vector<eval::PoisonElement>& elements) override {
    for (std::size_t i = 0; i < layout_.outputs.size(); ++i) {
      const auto& slot = layout_.outputs[i];
      tools_.kernels.poison(repeated(slot.dtype, elements[i]), outputs_.data() + slot.offset, slot.bytes);
    }
    tools_.context.wait();
  }

  void copy_outputs(std::byte* target) override { download(target, outputs_.data(), layout_.output_bytes); }

  const std::byte* host_inputs() const override { return nullptr; }

  eval::Judgement compare(const std::byte* expected, const std::vector<eval::PoisonElement>& poison,
                          const eval::Tolerance& tolerance, std::size_t count) override {
    tools_.reserve(tools_.snapshot, layout_.output_bytes);
    tools_.reserve(tools_.expected, layout_.output_bytes);
    tools_.copy(tools_.snapshot.data(), outputs_.data(), layout_.output_bytes);
    tools_.upload(tools_.expected.data(), expected, layout_.output_bytes);
    std::vector<eval::Comparison> comparisons;
    for (std::size_t i = 0; i < count; ++i) {
      comparisons.push_back(compare(layout_.outputs[i], expected, poison[i], tolerance));
    }
    return eval::judge_comparisons(layout_, comparisons, tolerance);
  }

  std::vector<int> fds() const override { return {inputs_.fd(), outputs_.fd()}; }

 private:
  void fill(const eval::Slot& slot, const eval::InputContent& content) {
    using Kind = eval::InputContent::Kind;
    const CUdeviceptr target = inputs_.data() + slot.offset;
    switch (content.kind) {
      case Kind::kScalar:
        return tools_.upload(target, content.scalar.data(), content.scalar.size());
      case Kind::kRandom:
        if (content.exponent != 0) return fill_on_host(slot, content, target);
        return tools_.kernels.fill_random(slot.dtype, content.key, target, slot.count());
      case Kind::kProbabilities:
        return tools_.kernels.fill_probabilities(slot.dtype, content.key, target, content.rows,
                                                 content.columns);
      case Kind::kFp8Pages:
        return tools_.kernels.fill_fp8_pages(content.key, target, content.rows, content.tokens,
                                             content.columns);
      case Kind::kData:
        return tools_.copy(target, fixed(content.data, slot.bytes), slot.bytes);
    }
  }

  // Rare and small: fib's own kernels know no exponents.
  void fill_on_host(const eval::Slot& slot, const eval::InputContent& content, CUdeviceptr target) {
    std::vector<std::byte> bytes(slot.bytes);
    eval::write_random(slot, content, bytes.data(), util::usable_cores());
    tools_.upload(target, bytes.data(), bytes.size());
    tools_.context.wait();
  }

  CUdeviceptr fixed(const std::byte* data, std::uint64_t bytes) {
    const auto known = fixed_.find(data);
    if (known != fixed_.end()) return known->second.data();
    DeviceMemory copy(tools_.context, bytes);
    tools_.upload(copy.data(), data, bytes);
    return fixed_.emplace(data, std::move(copy)).first->second.data();
  }

  void download(void* target, CUdeviceptr source, std::uint64_t bytes) {
    const auto& context = tools_.context;
    context.check(context.driver().copy_to_host(target, source, bytes, context.stream()),
                  "cuMemcpyDtoHAsync");
    context.wait();
  }

  eval::Comparison compare(const eval::Slot& slot, const std::byte* expected,
                           const eval::PoisonElement& poison, const eval::Tolerance& tolerance) {
    const CUdeviceptr got = tools_.snapshot.data() + slot.offset;
    const Findings findings =
        tools_.comparer.compare(slot.dtype, got, tools_.expected.data() + slot.offset, slot.count(),
                                repeated(slot.dtype, poison), tolerance.atol, tolerance.rtol);
    eval::Comparison result;
    result.count = slot.count();
    result.mismatched = findings.bad;
    result.unwritten = findings.unwritten;
    const bool nan = findings.nan_disagrees != 0;
    const bool infinity = findings.infinity_disagrees != 0;
    result.max_absolute_error = eval::with_disagreement(findings.absolute_error, nan, infinity);
    result.max_relative_error = eval::with_disagreement(findings.relative_error, nan, infinity);
    if (findings.bad == 0) return result;
    result.first_bad = findings.first_bad;
    // The byte or bytes that hold the element; of two elements in one byte it is the first or the second.
    const std::size_t bits = tensor::bits_of(slot.dtype);
    std::array<std::byte, 8> element{};
    download(element.data(), got + findings.first_bad * bits / 8, std::max<std::size_t>(1, bits / 8));
    const std::size_t within = bits == 4 ? findings.first_bad % 2 : 0;
    result.expected_text = eval::element_text(
        slot.dtype, eval::element_bits(slot.dtype, expected + slot.offset, findings.first_bad));
    result.got_text = eval::element_text(slot.dtype, eval::element_bits(slot.dtype, element.data(), within));
    return result;
  }

  Tools& tools_;
  std::map<const std::byte*, DeviceMemory> fixed_;  // device copies of inputs that come from files
  eval::Layout layout_;
  SharedDeviceMemory inputs_;
  SharedDeviceMemory outputs_;
};

class CudaJudgeDevice : public JudgeDevice {
 public:
  explicit CudaJudgeDevice(const UseDevice& device)
      : tools_(device), nvml_(tools_.context, device.uuid), flush_(device.flush) {}

  std::unique_ptr<Door> make_door(const eval::Layout& layout) override {
    return std::make_unique<CudaDoor>(tools_, layout);
  }
  DeviceState describe() override {
    const auto snapshot = nvml_.take();
    return {snapshot.at("name").get<std::string>(), name_of(flush_), snapshot.dump()};
  }
  // Judge and worker have a copy each, and the judge one of the outputs and their expected values.
  std::uint64_t memory_limit() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    tools_.context.check(tools_.context.driver().memory_info(&free, &total), "cuMemGetInfo");
    return free / 5;
  }

 private:
  Tools tools_;
  device::cuda::DeviceWatch nvml_;
  Flush flush_;
};

}  // namespace

std::unique_ptr<JudgeDevice> make_cuda_judge_device(const UseDevice& device) {
  return std::make_unique<CudaJudgeDevice>(device);
}

}  // namespace fib::worker
