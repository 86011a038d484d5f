#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "apply/devices.h"
#include "arguments/signature.h"

namespace fib::apply {

// Memory for copies of a call's arguments, on the device of the call. What is queued is done in the order of
// the call's stream. One thread at a time; the current context and the thread's capture mode stay as they
// are.
class CallMemory {
 public:
  CallMemory() = default;
  virtual ~CallMemory() = default;  // of CUDA: waits for the device
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  // Its first byte; a multiple of 256.
  [[nodiscard]] virtual std::byte* address() const = 0;

  // Copies to `offset` bytes from its start: `from` lies on the device, or on the host. Throws Error.
  virtual void copy(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) = 0;
  virtual void upload(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) = 0;

  // Copies to the host, once everything is done that was queued on the stream before; waits for it. Throws
  // Error.
  virtual void download(std::byte* to, std::uint64_t offset, std::uint64_t bytes) = 0;
};

// `bytes` on the device of `found`, for calls on `stream`, which is not being captured. `devices` has to
// outlive the memory. Throws Error and std::bad_alloc where there is no room.
[[nodiscard]] std::unique_ptr<CallMemory> make_call_memory(Devices& devices, const arguments::Case& found,
                                                           void* stream, std::uint64_t bytes);

}  // namespace fib::apply
