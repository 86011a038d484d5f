#pragma once

#include "device/cuda/context.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"

namespace fib::device::cuda {

// What the L2 cache holds when a call begins.
enum class FlushKind : std::uint8_t {
  kClean,  // lines of a buffer that was read: nothing has to be written back
  kDirty,  // lines of a buffer that was written, as other harnesses leave it; their write-back is paid by the
           // call
  kNone,   // whatever it holds, the call's own inputs first
};

// Fills the L2 cache with lines of a buffer of its own, larger than the cache, and takes back what a solution
// may have set aside of it (persisting L2). One thread.
class Flush {
 public:
  Flush(const Context& context, Kernels& kernels, FlushKind kind);

  // Queued on fib's stream. Throws DriverError.
  void operator()();

 private:
  const Context& context_;
  Kernels& kernels_;
  FlushKind kind_;
  DeviceMemory buffer_;
  DeviceMemory never_;
};

}  // namespace fib::device::cuda
