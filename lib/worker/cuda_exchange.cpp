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
        inputs_(SharedDeviceMemory::open(context, std::move(shared.inputs), layout.input_bytes)),
        outputs_(SharedDeviceMemory::open(context, std::move(shared.outputs), layout.output_bytes)),
        differs_(context, sizeof(std::uint32_t)) {}

  void load(CUdeviceptr inputs, CUdeviceptr outputs, std::byte* scalars) override {
    copy(inputs, inputs_.data(), layout_.input_bytes);
    copy(outputs, outputs_.data(), layout_.output_bytes);
    bool has_scalars = false;
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const auto& slot = layout_.inputs[i];
      if (!slot.scalar) continue;
      context_.check(
          context_.driver().copy_to_host(scalars + 8 * i, inputs_.data() + slot.offset, 8, context_.stream()),
          "cuMemcpyDtoHAsync");
      has_scalars = true;
    }
    if (has_scalars) context_.wait();
  }

  void begin_store(CUdeviceptr inputs, CUdeviceptr outputs) override {
    std::memset(differs_.data(), 0, sizeof(std::uint32_t));
    copy(outputs_.data(), outputs, layout_.output_bytes);
    kernels_.differs(inputs, inputs_.data(), layout_.input_bytes, differs_.device());
  }

  bool end_store() override {
    std::uint32_t differs = 0;
    std::memcpy(&differs, differs_.data(), sizeof differs);
    return differs != 0;
  }

 private:
  void copy(CUdeviceptr target, CUdeviceptr source, std::uint64_t bytes) {
    if (bytes > 0)
      context_.check(context_.driver().copy(target, source, bytes, context_.stream()), "cuMemcpyDtoDAsync");
  }

  const Context& context_;
  Kernels& kernels_;
  eval::Layout layout_;
  SharedDeviceMemory inputs_;
  SharedDeviceMemory outputs_;
  PinnedMemory differs_;
};

class HostExchange : public CudaExchange {
 public:
  HostExchange(const Context& context, const eval::Layout& layout, SharedBuffers shared)
      : context_(context),
        layout_(layout),
        inputs_(SharedMemory::open(std::move(shared.inputs), layout.input_bytes, WorkerAccess::kReads)),
        outputs_(SharedMemory::open(std::move(shared.outputs), layout.output_bytes, WorkerAccess::kWrites)),
        input_stop_(context, layout.input_bytes),
        output_stop_(context, layout.output_bytes) {}

  void load(CUdeviceptr inputs, CUdeviceptr outputs, std::byte* scalars) override {
    upload(inputs, input_stop_, inputs_.data(), layout_.input_bytes);
    upload(outputs, output_stop_, outputs_.data(), layout_.output_bytes);
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const auto& slot = layout_.inputs[i];
      if (slot.scalar) std::memcpy(scalars + 8 * i, inputs_.data() + slot.offset, 8);
    }
  }

  void begin_store(CUdeviceptr inputs, CUdeviceptr outputs) override {
    download(input_stop_, inputs, layout_.input_bytes);
    download(output_stop_, outputs, layout_.output_bytes);
  }

  bool end_store() override {
    std::memcpy(outputs_.data(), output_stop_.data(), layout_.output_bytes);
    return std::memcmp(inputs_.data(), input_stop_.data(), layout_.input_bytes) != 0;
  }

 private:
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
};

}  // namespace

std::unique_ptr<CudaExchange> make_cuda_exchange(const Context& context, Kernels& kernels,
                                                 const eval::Layout& layout, SharedBuffers shared) {
  if (shared.on_device) return std::make_unique<DeviceExchange>(context, kernels, layout, std::move(shared));
  return std::make_unique<HostExchange>(context, layout, std::move(shared));
}

}  // namespace fib::worker
