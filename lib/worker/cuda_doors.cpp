#include "worker/cuda_doors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "device/cuda/compare.h"
#include "device/cuda/context.h"
#include "device/cuda/flush.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"
#include "device/cuda/snapshot.h"
#include "device/cuda/timer.h"
#include "eval/evaluator.h"
#include "eval/statistics.h"
#include "util/arena.h"
#include "util/clock.h"
#include "util/files.h"

namespace fib::worker {
namespace {

using device::cuda::Comparer;
using device::cuda::Context;
using device::cuda::DeviceMemory;
using device::cuda::Driver;
using device::cuda::Findings;
using device::cuda::Kernels;
using device::cuda::PinnedMemory;
using device::cuda::SharedDeviceMemory;
using fib::cuda::DriverError;

// 8 bytes of the repeated element.
std::uint64_t repeated(tensor::DType dtype, const eval::PoisonElement& element) {
  std::uint64_t pattern = 0;
  const std::size_t bytes = std::max<std::size_t>(1, tensor::bits_of(dtype) / 8);
  eval::fill_pattern(&pattern, sizeof pattern, element.data(), bytes);
  return pattern;
}

// The device's memory for expected outputs: as much from the judge's start on as it ever takes, so that a
// solution finds as much of it free after a hundred others as it does alone.
constexpr std::uint64_t kMostArenaBytes = std::uint64_t{5} << 29U;
// A reference's places take a 32nd of a device's memory at most, and so many times as large a part of what is
// free.
constexpr std::uint64_t kOfFree = 4;
constexpr std::uint64_t kArenaShare = 16;  // of the device's memory, at most one part in so many
constexpr std::uint64_t kAlignment = 256;

// The least page-locked memory that is taken at once: small outputs of all sizes use it in turn.
constexpr std::uint64_t kLeastPinnedBytes = 64 * 1024;
// Pageable memory is copied to the device by way of page-locked memory, in pieces.
constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20U;

// As often copies are timed; the median counts.
constexpr int kTimedCopies = 5;

struct MemoryInfo {
  std::size_t free = 0;
  std::size_t total = 0;
};

MemoryInfo memory_of(const Context& context) {
  MemoryInfo info;
  context.check(context.driver().memory_info(&info.free, &info.total), "cuMemGetInfo");
  return info;
}

std::uint64_t arena_bytes(const Context& context) {
  return std::min(kMostArenaBytes, memory_of(context).total / kArenaShare) / kAlignment * kAlignment;
}

using PinnedPool = MemoryPool<PinnedMemory>;

// What all doors and copies of one device share.
struct Tools {
  Context context;
  Kernels kernels;
  Comparer comparer;
  DeviceMemory expected;
  util::Arena arena;  // of expected
  PinnedPool pinned;
  PinnedMemory piece;
  std::optional<device::cuda::Timer> timer{};  // once something was timed

  Tools(const UseDevice& device, const Driver& driver)
      : context(driver, device.uuid, device::cuda::StreamKind::kOwn),
        kernels(context, util::read_file(device.kernels_path)),
        comparer(context, kernels),
        expected(context, arena_bytes(context)),
        arena(expected.size(), kAlignment),
        pinned([this](std::uint64_t bytes) { return std::make_unique<PinnedMemory>(context, bytes); }),
        piece(context, kPieceBytes) {}
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;

  void upload(CUdeviceptr target, const void* source, std::uint64_t bytes) {
    const auto* from = static_cast<const std::byte*>(source);
    for (std::uint64_t done = 0; done < bytes; done += kPieceBytes) {
      const std::uint64_t length = std::min(kPieceBytes, bytes - done);
      std::memcpy(piece.data(), from + done, length);
      context.check(context.driver().copy_to_device(target + done, piece.data(), length, context.stream()),
                    "cuMemcpyHtoDAsync");
      context.wait();
    }
  }
  // Few bytes: the driver has copied them when this returns.
  void upload_word(CUdeviceptr target, const std::array<std::byte, 8>& word) {
    context.check(context.driver().copy_to_device(target, word.data(), word.size(), context.stream()),
                  "cuMemcpyHtoDAsync");
  }
  void download(void* target, CUdeviceptr source, std::uint64_t bytes) {
    context.check(context.driver().copy_to_host(target, source, bytes, context.stream()),
                  "cuMemcpyDtoHAsync");
    context.wait();
  }
  void copy(CUdeviceptr target, CUdeviceptr source, std::uint64_t bytes) {
    context.check(context.driver().copy(target, source, bytes, context.stream()), "cuMemcpyDtoDAsync");
  }
};

// In page-locked host memory.
class PinnedCopy : public OutputsCopy {
 public:
  PinnedCopy(Tools& tools, std::uint64_t bytes)
      : tools_(tools), memory_(tools.pinned.take(reserved(bytes))), bytes_(bytes) {}
  ~PinnedCopy() override { tools_.pinned.give_back(std::move(memory_), reserved(bytes_)); }
  PinnedCopy(const PinnedCopy&) = delete;
  PinnedCopy& operator=(const PinnedCopy&) = delete;

  void take(const OutputsAt& outputs) override {
    if (outputs.host != nullptr) {
      std::memcpy(memory_->data(), outputs.host, bytes_);
    } else {
      tools_.download(memory_->data(), outputs.device, bytes_);
    }
  }
  OutputsAt at() const override { return {memory_->data(), memory_->device()}; }

 private:
  static std::uint64_t reserved(std::uint64_t bytes) { return std::max(bytes, kLeastPinnedBytes); }

  Tools& tools_;
  std::unique_ptr<PinnedMemory> memory_;
  std::uint64_t bytes_;
};

// In device memory.
class DeviceCopy : public OutputsCopy {
 public:
  DeviceCopy(Tools& tools, std::uint64_t offset, std::uint64_t bytes)
      : tools_(tools), offset_(offset), bytes_(bytes) {}
  ~DeviceCopy() override { tools_.arena.give_back(offset_); }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  void take(const OutputsAt& outputs) override {
    if (outputs.host != nullptr) {
      tools_.upload(address(), outputs.host, bytes_);
    } else {
      tools_.copy(address(), outputs.device, bytes_);
    }
  }
  OutputsAt at() const override { return {nullptr, address()}; }

 private:
  [[nodiscard]] CUdeviceptr address() const { return tools_.expected.data() + offset_; }

  Tools& tools_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
};

class CudaDoor : public Door {
 public:
  CudaDoor(Tools& tools, const eval::Layout& layout, DoorUse use, std::uint32_t places)
      : tools_(tools),
        layout_(layout),
        places_(places),
        inputs_(SharedDeviceMemory::create(tools.context, places * layout.input_stride())),
        outputs_(SharedDeviceMemory::create(tools.context, places * layout.output_stride())) {
    if (use == DoorUse::kComparedCalls) judged_ = DeviceMemory(tools.context, layout.output_bytes);
  }
  // A copy of its outputs may still be queued (DeviceCopy); a device that has failed has nothing to wait for.
  ~CudaDoor() override { (void)tools_.context.driver().stream_synchronize(tools_.context.stream()); }
  CudaDoor(const CudaDoor&) = delete;
  CudaDoor& operator=(const CudaDoor&) = delete;

  std::uint32_t places() const override { return places_; }

  void fill(std::uint32_t place, const synthesis::InputSets& sets, std::string_view seed,
            synthesis::Scale scale) override {
    const auto contents = sets.contents(seed, scale);
    const CUdeviceptr inputs = device_inputs(place);
    for (std::size_t i = 0; i < contents.size(); ++i) {
      fill(layout_.inputs[i], inputs + layout_.inputs[i].offset, contents[i]);
    }
  }

  std::uint64_t device_inputs(std::uint32_t place) const override {
    return inputs_.data() + place * layout_.input_stride();
  }

  void copy_inputs(std::uint32_t place, std::uint64_t source) override {
    if (layout_.input_bytes > 0) tools_.copy(device_inputs(place), source, layout_.input_bytes);
  }

  void poison(std::uint32_t place, const std::vector<eval::PoisonElement>& elements) override {
    for (std::size_t i = 0; i < layout_.outputs.size(); ++i) {
      const auto& slot = layout_.outputs[i];
      tools_.kernels.poison(repeated(slot.dtype, elements[i]), outputs(place).device + slot.offset,
                            slot.bytes);
    }
  }

  void wait() override { tools_.context.wait(); }

  OutputsAt outputs(std::uint32_t place) const override {
    return {nullptr, outputs_.data() + place * layout_.output_stride()};
  }

  const std::byte* host_inputs() const override { return nullptr; }

  void take_outputs(std::uint32_t place) override {
    tools_.copy(judged_.data(), outputs(place).device, layout_.output_bytes);
  }

  // The device reads expected outputs in page-locked host memory where they lie.
  eval::Judgement judge_taken(const OutputsAt& expected, const std::vector<eval::PoisonElement>& poison,
                              const eval::Tolerance& tolerance, std::size_t count) override {
    std::vector<eval::Comparison> comparisons;
    for (std::size_t i = 0; i < count; ++i) {
      comparisons.push_back(compare(layout_.outputs[i], expected, poison[i], tolerance));
    }
    auto judgement = eval::judge_comparisons(layout_, comparisons, tolerance);
    if (judgement.mismatch) look_closer(judgement, expected, poison, tolerance);
    return judgement;
  }

  std::vector<bool> judge_zeros(const OutputsAt& expected, const eval::Tolerance& tolerance) override {
    const auto& context = tools_.context;
    context.check(context.driver().set_bytes(judged_.data(), 0, layout_.output_bytes, context.stream()),
                  "cuMemsetD8Async");
    std::vector<bool> right;
    for (const auto& slot : layout_.outputs) {
      const auto comparison = comparison_of(slot, find(slot, expected, eval::kNoZero, tolerance));
      right.push_back(slot.count() > 0 && eval::is_right(comparison, tolerance));
    }
    return right;
  }

  std::vector<std::byte> read_outputs(std::uint32_t place, const std::vector<Piece>& pieces) override {
    const auto& context = tools_.context;
    std::byte* const stop = tools_.piece.data();
    std::uint64_t bytes = 0;
    for (const auto& piece : pieces) {
      if (bytes + piece.bytes > kPieceBytes) throw Error("the pieces are too large");
      context.check(context.driver().copy_to_host(stop + bytes, outputs(place).device + piece.offset,
                                                  piece.bytes, context.stream()),
                    "cuMemcpyDtoHAsync");
      bytes += piece.bytes;
    }
    context.wait();
    return {stop, stop + bytes};
  }

  double time_copies(std::uint32_t place) override {
    if (layout_.output_bytes == 0) return 0;
    if (!tools_.timer) tools_.timer.emplace(tools_.context, tools_.kernels);
    std::vector<double> times_ns;
    for (int i = 0; i < kTimedCopies; ++i) {
      // As in a counted call: the L2 cache holds what was written last, and nothing of where it is copied to.
      const std::uint64_t flushed = device::cuda::flush_bytes(tools_.context.l2_bytes());
      tools_.kernels.read(tools_.expected.data(), std::min(flushed, tools_.expected.size()),
                          outputs(place).device);
      for (const auto& slot : layout_.outputs) {
        constexpr std::uint64_t kWhole = 16;
        tools_.kernels.write(outputs(0).device + slot.offset, slot.bytes / kWhole * kWhole);
      }
      times_ns.push_back(tools_.timer
                             ->time([&] {
                               for (const auto& slot : layout_.outputs) {
                                 if (slot.bytes == 0) continue;
                                 tools_.copy(outputs(place).device + slot.offset,
                                             outputs(0).device + slot.offset, slot.bytes);
                               }
                             })
                             .device_ns);
    }
    return eval::median(std::move(times_ns));
  }

  std::vector<int> fds() const override { return {inputs_.fd(), outputs_.fd()}; }

 private:
  void fill(const eval::Slot& slot, CUdeviceptr target, const synthesis::InputContent& content) {
    using Kind = synthesis::InputContent::Kind;
    switch (content.kind) {
      case Kind::kScalar:
        return tools_.upload_word(target, content.scalar);
      case Kind::kRandom:
        tools_.kernels.fill_random(slot.dtype, content.key, target, slot.count());
        if (content.exponent != 0)
          tools_.kernels.scale_by_power(slot.dtype, target, slot.count(), content.exponent);
        return;
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

  CUdeviceptr fixed(const std::byte* data, std::uint64_t bytes) {
    const auto known = fixed_.find(data);
    if (known != fixed_.end()) return known->second.data();
    DeviceMemory copy(tools_.context, bytes);
    tools_.upload(copy.data(), data, bytes);
    return fixed_.emplace(data, std::move(copy)).first->second.data();
  }

  // Of a wrong output, which ends the evaluation: it is looked at on the host.
  void look_closer(eval::Judgement& judgement, const OutputsAt& expected,
                   const std::vector<eval::PoisonElement>& poison, const eval::Tolerance& tolerance) {
    const auto on_host = [&](const OutputsAt& outputs) {
      std::vector<std::byte> bytes(layout_.output_bytes);
      if (outputs.host != nullptr) {
        std::memcpy(bytes.data(), outputs.host, bytes.size());
      } else {
        tools_.download(bytes.data(), outputs.device, bytes.size());
      }
      return bytes;
    };
    constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
    if (layout_.output_bytes > kMostBytes) return;
    eval::look_closer(judgement, layout_, on_host({nullptr, judged_.data()}).data(), on_host(expected).data(),
                      poison, tolerance, 1);
  }

  Findings find(const eval::Slot& slot, const OutputsAt& expected, const eval::PoisonElement& poison,
                const eval::Tolerance& tolerance) {
    return tools_.comparer.compare(slot.dtype, judged_.data() + slot.offset, expected.device + slot.offset,
                                   slot.count(), repeated(slot.dtype, poison), tolerance.atol,
                                   tolerance.rtol);
  }

  // Without the first element that does not match.
  static eval::Comparison comparison_of(const eval::Slot& slot, const Findings& findings) {
    eval::Comparison result;
    result.count = slot.count();
    result.mismatched = findings.bad;
    result.unwritten = findings.unwritten;
    const bool nan = findings.nan_disagrees != 0;
    const bool infinity = findings.infinity_disagrees != 0;
    result.max_absolute_error = eval::with_disagreement(findings.absolute_error, nan, infinity);
    result.max_relative_error = eval::with_disagreement(findings.relative_error, nan, infinity);
    return result;
  }

  eval::Comparison compare(const eval::Slot& slot, const OutputsAt& expected,
                           const eval::PoisonElement& poison, const eval::Tolerance& tolerance) {
    const Findings findings = find(slot, expected, poison, tolerance);
    eval::Comparison result = comparison_of(slot, findings);
    if (findings.bad == 0) return result;
    const auto first = findings.unwritten > 0 ? findings.first_unwritten : findings.first_bad;
    result.first_bad = first;
    result.expected_text = element_text(slot, expected, first);
    result.got_text = element_text(slot, {nullptr, judged_.data()}, first);
    return result;
  }

  // Of one element of one of these outputs.
  std::string element_text(const eval::Slot& slot, const OutputsAt& outputs, std::uint64_t index) {
    // The byte or bytes that hold it; of two elements in one byte it is the first or the second.
    const std::size_t bits = tensor::bits_of(slot.dtype);
    const std::size_t bytes = std::max<std::size_t>(1, bits / 8);
    const std::uint64_t offset = slot.offset + index * bits / 8;
    std::array<std::byte, 8> element{};
    if (outputs.host != nullptr) {
      std::memcpy(element.data(), outputs.host + offset, bytes);
    } else {
      tools_.download(element.data(), outputs.device + offset, bytes);
    }
    return eval::element_text(slot.dtype,
                              eval::element_bits(slot.dtype, element.data(), bits == 4 ? index % 2 : 0));
  }

  Tools& tools_;
  std::map<const std::byte*, DeviceMemory> fixed_;  // device copies of inputs that come from files
  eval::Layout layout_;
  std::uint32_t places_;
  SharedDeviceMemory inputs_;
  SharedDeviceMemory outputs_;
  DeviceMemory judged_;  // a copy of the outputs
};

class CudaJudgeDevice : public JudgeDevice {
 public:
  CudaJudgeDevice(const UseDevice& device, const Driver& driver)
      : tools_(device, driver),
        looked_at_(tools_.context, 16),
        nvml_(tools_.context, device.uuid),
        counter_(nvml_.counter()),
        use_(device) {}

  std::unique_ptr<Door> make_door(const eval::Layout& layout, DoorUse use, std::uint32_t places) override {
    // The same whatever is free, unless others have left little of the device.
    const auto memory = memory_of(tools_.context);
    const std::uint64_t usable = std::min(memory.total, kOfFree * memory.free);
    const std::uint32_t fitting = use == DoorUse::kCalls ? fitting_places(layout, places, usable) : places;
    try {
      return std::make_unique<CudaDoor>(tools_, layout, use, fitting);
    } catch (const DriverError& error) {
      if (fitting == 1 || error.code != CUDA_ERROR_OUT_OF_MEMORY) throw;
    }
    return std::make_unique<CudaDoor>(tools_, layout, use, 1);
  }
  std::unique_ptr<OutputsCopy> on_host(std::uint64_t bytes) override {
    return std::make_unique<PinnedCopy>(tools_, bytes);
  }
  std::uint64_t device_bytes() const override { return tools_.expected.size(); }
  std::unique_ptr<OutputsCopy> on_device(std::uint64_t bytes) override {
    const auto offset = tools_.arena.take(bytes);
    if (!offset) return nullptr;
    return std::make_unique<DeviceCopy>(tools_, *offset, bytes);
  }
  DeviceState describe() override {
    const auto snapshot = nvml_.take();
    return {snapshot.at("name").get<std::string>(), name_of(use_.flush), snapshot.dump()};
  }
  // A GPU that several processes have work for gives each a slice of time in turn. On an H200 a fill of 16
  // bytes and the wait for it take 5 to 7 us, and where another process has a kernel there that does not end,
  // as long as that one's slice: 2.4 ms in the median and 0.16 ms at least, of 1,400. The first of several
  // may have to wait for the processes' change alone, and the host may be late with one or two.
  bool is_idle() override {
    constexpr int kFills = 8;
    constexpr int kEnough = 4;  // where none was slow
    constexpr int kMostSlow = 2;
    constexpr std::int64_t kSlowNs = 100'000;
    int slow = 0;
    for (int i = 0; i < (slow == 0 ? kEnough : kFills) && slow <= kMostSlow; ++i) {
      const std::int64_t begin = util::monotonic_ns();
      tools_.context.check(
          tools_.context.driver().set_bytes(looked_at_.data(), 0, looked_at_.size(), tools_.context.stream()),
          "cuMemsetD8Async");
      tools_.context.wait();
      if (i > 0 && util::monotonic_ns() - begin > kSlowNs) ++slow;
    }
    return slow <= kMostSlow;
  }
  std::string counter_problem() override { return counter_.problem(); }
  std::string begin_count() override {
    auto problem = counter_problem();
    try {
      if (problem.empty()) counter_.begin();
    } catch (const Error& error) {
      problem = error.what();
    }
    return problem;
  }
  Counted end_count() override {
    const auto work = counter_.end();
    return {{}, work.busy_ns, work.engine_ns, work.bus_bytes};
  }
  // With what lies there anyhow: where solutions' workers leave lines that have to be written back
  // (Flush::kDirty) their calls pay more for them than these.
  void flush() override {
    if (use_.flush == Flush::kNone) return;
    const std::uint64_t bytes = device::cuda::flush_bytes(tools_.context.l2_bytes());
    tools_.kernels.read(tools_.expected.data(), std::min(bytes, tools_.expected.size()), looked_at_.data());
  }
  // Errors after which a context is lost (an illegal address, an uncorrectable error of its memory) are what
  // each later call of the driver returns.
  bool has_failed() override {
    return tools_.context.driver().stream_synchronize(tools_.context.stream()) != CUDA_SUCCESS;
  }
  // Shared and private buffers, and those of the workload before, which its worker still holds; the judge has
  // a copy of the outputs.
  std::uint64_t memory_limit() const override { return memory_of(tools_.context).free / 5; }

 private:
  Tools tools_;
  DeviceMemory looked_at_;
  device::cuda::DeviceWatch nvml_;
  // Opened before any solution runs: a failure later then means that counting failed, not that the device has
  // no counters.
  device::cuda::WorkCounter counter_;
  UseDevice use_;
};

}  // namespace

std::unique_ptr<JudgeDevice> make_cuda_judge_device(const UseDevice& device, const Driver& driver) {
  return std::make_unique<CudaJudgeDevice>(device, driver);
}

std::unique_ptr<JudgeDevice> make_cuda_judge_device(const UseDevice& device) {
  return make_cuda_judge_device(device, Driver::open());
}

}  // namespace fib::worker
