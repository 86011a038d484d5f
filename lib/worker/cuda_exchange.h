#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "device/cuda/context.h"
#include "device/cuda/kernels.h"
#include "eval/layout.h"
#include "worker/stage.h"

namespace fib::worker {

// The buffers that a worker on CUDA shares with the judge, in device memory or in host memory, and how their
// content gets to its private buffers and back. All copies are queued on fib's stream. One thread.
class CudaExchange {
 public:
  virtual ~CudaExchange() = default;

  // Copies inputs and poison at a place of the shared buffers to the private ones, and scalars, 8 bytes for
  // each input, to host memory, where they are when this returns. Throws DriverError.
  virtual void load(std::uint32_t place, CUdeviceptr inputs, CUdeviceptr outputs, std::byte* scalars) = 0;

  // The same without the poison.
  virtual void load_inputs(std::uint32_t place, CUdeviceptr inputs, std::byte* scalars) = 0;

  // The same of scalars alone, which lie among the private inputs already.
  virtual void load_scalars(CUdeviceptr inputs, std::byte* scalars) = 0;

  // Where the private buffers lie that the judge has made; 0: there are none.
  [[nodiscard]] virtual CUdeviceptr private_inputs() const { return 0; }
  [[nodiscard]] virtual CUdeviceptr private_outputs() const { return 0; }

  // The device memory that is shared with the judge, private buffers included: begins and bytes.
  [[nodiscard]] virtual std::vector<std::pair<CUdeviceptr, std::uint64_t>> device_memory() const {
    return {};
  }

  // Begins to find out whether the inputs are what they were.
  virtual void begin_compare(CUdeviceptr inputs) = 0;

  // Begins to copy the outputs back to that place. After begin_compare().
  virtual void begin_store(CUdeviceptr outputs) = 0;

  // When the stream is idle: the outputs lie where the judge sees them. Whether the inputs changed.
  [[nodiscard]] virtual bool end_store() = 0;

  // Copies one output from there to that place, where it lies when the stream is idle.
  virtual void store(const eval::Slot& slot, CUdeviceptr source) = 0;
};

// `context` and `kernels` must outlive it. Throws Error.
[[nodiscard]] std::unique_ptr<CudaExchange> make_cuda_exchange(const device::cuda::Context& context,
                                                               device::cuda::Kernels& kernels,
                                                               const eval::Layout& layout,
                                                               SharedBuffers shared);

}  // namespace fib::worker
