#include "worker/cuda_exchange.h"

#include <cstdint>
#include <cstring>

#include "device/cpu/memory.h"
#include "device/cuda/memory.h"

namespace fib::worker {
namespace {

using device::cpu::SharedMemory;
using device::cpu::WorkerAccess;
using device::cuda::Context;
using device::cuda::Kernels;
using device::cuda::PinnedMemory;
using device::cuda::SharedDeviceMemory;

class DeviceExchange : public CudaExchange {
 public:
  DeviceExchange(const Context& context, Kernels& kernels, const eval::Layout& layout, SharedBuffers shared)
      : context_(context),
        kernels_(kernels),
        layout_(layout),
        places_(shared.places),
        has_private_(shared.has_private),
        inputs_(SharedDeviceMemory::open(context, std::move(shared.inputs),
                                         all_places() * layout.input_stride())),
        outputs_(SharedDeviceMemory::open(context, std::move(shared.outputs),
                                          all_places() * layout.output_stride())),
        differs_(context, sizeof(std::uint32_t)) {}

  void load(std::uint32_t place, CUdeviceptr inputs, CUdeviceptr outputs, std::byte* scalars) override {
    place_ = place;
    copy(outputs, shared_outputs(), layout_.output_bytes);
    load_inputs(place, inputs, scalars);
  }

  void load_inputs(std::uint32_t place, CUdeviceptr inputs, std::byte* scalars) override {
    place_ = place;
    copy(inputs, shared_inputs(), layout_.input_bytes);
    load_scalars(inputs, scalars);
  }

  void load_scalars(CUdeviceptr inputs, std::byte* scalars) override {
    bool has_scalars = false;
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const auto& slot = layout_.inputs[i];
      if (!slot.scalar) continue;
      context_.check(
          context_.driver().copy_to_host(scalars + 8 * i, inputs + slot.offset, 8, context_.stream()),
          "cuMemcpyDtoHAsync");
      has_scalars = true;
    }
    if (has_scalars) context_.wait();
  }

  CUdeviceptr private_inputs() const override {
    return has_private_ ? inputs_.data() + places_ * layout_.input_stride() : 0;
  }
  CUdeviceptr private_outputs() const override {
    return has_private_ ? outputs_.data() + places_ * layout_.output_stride() : 0;
  }

  std::vector<std::pair<CUdeviceptr, std::uint64_t>> device_memory() const override {
    return {{inputs_.data(), all_places() * layout_.input_stride()},
            {outputs_.data(), all_places() * layout_.output_stride()}};
  }

  void begin_compare(CUdeviceptr inputs) override {
    std::memset(differs_.data(), 0, sizeof(std::uint32_t));
    kernels_.differs(inputs, shared_inputs(), layout_.input_bytes, differs_.device());
  }

  void begin_store(CUdeviceptr outputs) override { copy(shared_outputs(), outputs, layout_.output_bytes); }

  bool end_store() override {
    std::uint32_t differs = 0;
    std::memcpy(&differs, differs_.data(), sizeof differs);
    return differs != 0;
  }

  void store(const eval::Slot& slot, CUdeviceptr source) override {
    copy(shared_outputs() + slot.offset, source, slot.bytes);
  }

 private:
  [[nodiscard]] std::uint64_t all_places() const { return places_ + (has_private_ ? 1U : 0U); }
  // Of this call.
  [[nodiscard]] CUdeviceptr shared_inputs() const { return inputs_.data() + place_ * layout_.input_stride(); }
  [[nodiscard]] CUdeviceptr shared_outputs() const {
    return outputs_.data() + place_ * layout_.output_stride();
  }

  void copy(CUdeviceptr target, CUdeviceptr source, std::uint64_t bytes) {
    if (bytes > 0)
      context_.check(context_.driver().copy(target, source, bytes, context_.stream()), "cuMemcpyDtoDAsync");
  }

  const Context& context_;
  Kernels& kernels_;
  eval::Layout layout_;
  std::uint32_t places_;
  bool has_private_;
  SharedDeviceMemory inputs_;
  SharedDeviceMemory outputs_;
  PinnedMemory differs_;
  std::uint32_t place_ = 0;
};

class HostExchange : public CudaExchange {
 public:
  HostExchange(const Context& context, const eval::Layout& layout, SharedBuffers shared)
      : context_(context),
        layout_(layout),
        inputs_(SharedMemory::open(std::move(shared.inputs), shared.places * layout.input_stride(),
                                   WorkerAccess::kReads)),
        outputs_(SharedMemory::open(std::move(shared.outputs), shared.places * layout.output_stride(),
                                    WorkerAccess::kWrites)),
        input_stop_(context, layout.input_bytes),
        output_stop_(context, layout.output_bytes) {}

  void load(std::uint32_t place, CUdeviceptr inputs, CUdeviceptr outputs, std::byte* scalars) override {
    load_inputs(place, inputs, scalars);
    upload(outputs, output_stop_, shared_outputs(), layout_.output_bytes);
  }

  void load_inputs(std::uint32_t place, CUdeviceptr inputs, std::byte* scalars) override {
    place_ = place;
    upload(inputs, input_stop_, shared_inputs(), layout_.input_bytes);
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const auto& slot = layout_.inputs[i];
      if (slot.scalar) std::memcpy(scalars + 8 * i, shared_inputs() + slot.offset, 8);
    }
  }

  void load_scalars(CUdeviceptr /*inputs*/, std::byte* /*scalars*/) override {
    throw Error("the judge does not reach the private buffers of this worker");
  }

  void begin_compare(CUdeviceptr inputs) override { download(input_stop_, inputs, layout_.input_bytes); }

  void begin_store(CUdeviceptr outputs) override { download(output_stop_, outputs, layout_.output_bytes); }

  bool end_store() override {
    std::memcpy(shared_outputs(), output_stop_.data(), layout_.output_bytes);
    return std::memcmp(shared_inputs(), input_stop_.data(), layout_.input_bytes) != 0;
  }

  // What lies in the page-locked memory is needed until then, too: the next call's inputs come there.
  void store(const eval::Slot& slot, CUdeviceptr source) override {
    if (slot.bytes == 0) return;
    std::byte* const stop = output_stop_.data() + slot.offset;
    context_.check(context_.driver().copy_to_host(stop, source, slot.bytes, context_.stream()),
                   "cuMemcpyDtoHAsync");
    context_.wait();
    std::memcpy(shared_outputs() + slot.offset, stop, slot.bytes);
  }

 private:
  // Of this call.
  [[nodiscard]] const std::byte* shared_inputs() const {
    return inputs_.data() + place_ * layout_.input_stride();
  }
  [[nodiscard]] std::byte* shared_outputs() const {
    return outputs_.data() + place_ * layout_.output_stride();
  }

  void upload(CUdeviceptr target, PinnedMemory& stop, const std::byte* source, std::uint64_t bytes) {
    if (bytes == 0) return;
    std::memcpy(stop.data(), source, bytes);
    context_.check(context_.driver().copy_to_device(target, stop.data(), bytes, context_.stream()),
                   "cuMemcpyHtoDAsync");
  }

  void download(PinnedMemory& stop, CUdeviceptr source, std::uint64_t bytes) {
    if (bytes > 0)
      context_.check(context_.driver().copy_to_host(stop.data(), source, bytes, context_.stream()),
                     "cuMemcpyDtoHAsync");
  }

  const Context& context_;
  eval::Layout layout_;
  SharedMemory inputs_;
  SharedMemory outputs_;
  PinnedMemory input_stop_;  // page-locked, on the way to the device and back
  PinnedMemory output_stop_;
  std::uint32_t place_ = 0;
};

}  // namespace

std::unique_ptr<CudaExchange> make_cuda_exchange(const Context& context, Kernels& kernels,
                                                 const eval::Layout& layout, SharedBuffers shared) {
  if (shared.on_device) return std::make_unique<DeviceExchange>(context, kernels, layout, std::move(shared));
  return std::make_unique<HostExchange>(context, layout, std::move(shared));
}

}  // namespace fib::worker
