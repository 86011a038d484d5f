#pragma once

#include "device/cuda/context.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"

namespace fib::device::cuda {

// How many bytes a buffer has whose lines fill a cache of this size. Pure.
[[nodiscard]] std::uint64_t flush_bytes(std::uint64_t l2_bytes);

// What the L2 cache holds when a call begins.
enum class FlushKind : std::uint8_t {
  kClean,  // lines of a buffer that was read: nothing has to be written back
  kDirty,  // lines of a buffer that was written, as other harnesses leave it; their write-back is paid by the
           // call
  kNone,   // whatever it holds, the call's own inputs first
};

// Whether the solution has code on the host, which could set a part of the L2 cache aside (persisting L2).
enum class HostCode : std::uint8_t { kNone, kHasSome };

// Fills the L2 cache with lines of a buffer of its own, larger than the cache, and takes back what host code
// may have set aside of it. One thread.
class Flush {
 public:
  Flush(const Context& context, Kernels& kernels, FlushKind kind, HostCode host_code);

  // Queued on fib's stream. Throws DriverError.
  void operator()();

  // Only what host code may have set aside is taken back.
  void take_back() const;

 private:
  void forget_access_window() const;

  const Context& context_;
  Kernels& kernels_;
  FlushKind kind_;
  HostCode host_code_;
  DeviceMemory buffer_;
  DeviceMemory never_;
};

}  // namespace fib::device::cuda
