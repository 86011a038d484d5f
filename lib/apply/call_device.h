#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apply/loaded.h"
#include "tvm_ffi/abi.h"
#include "util/error.h"

namespace fib::apply {

// The device gives no memory now; it may later.
class NoMemoryNow : public Error {
 public:
  using Error::Error;
};

// The device of a solution's calls, as far as host code needs one: memory for tensors that it asks TVM-FFI's
// environment for, and copies of what it returns. Any thread.
class CallDevice {
 public:
  CallDevice() = default;
  virtual ~CallDevice() = default;
  CallDevice(const CallDevice&) = delete;
  CallDevice& operator=(const CallDevice&) = delete;

  [[nodiscard]] virtual tvm_ffi::Device device() const = 0;

  // Memory for work in the order of `stream`, aligned to 256 bytes. Throws NoMemoryNow, and Error where the
  // device has not as much at all.
  [[nodiscard]] virtual void* allocate(std::uint64_t bytes, void* stream) = 0;
  // Gives it back: what is allocated for the same stream from now on may be the same memory.
  virtual void free(void* memory) noexcept = 0;

  // Copies in the order of `stream`. Unless it is done, `error` gets a sentence.
  [[nodiscard]] virtual CallEnd copy(void* to, const void* from, std::uint64_t bytes, void* stream,
                                     std::string& error) = 0;

  // For code that may work on the default stream, whatever stream it is told: what it begins after the first
  // comes behind the work of `stream`, and what `stream` gets after the second behind its work. A stream that
  // is being captured sees nothing of the default one: that is impeded.
  [[nodiscard]] virtual CallEnd begin_default_stream(void* stream, std::string& error) = 0;
  [[nodiscard]] virtual CallEnd end_default_stream(void* stream, std::string& error) = 0;
};

[[nodiscard]] std::shared_ptr<CallDevice> host_device();

#if FIB_CUDA
// Memory is kept for each stream (of the per-thread default stream for each thread) until the object goes,
// and used again in the order of that stream: so nothing waits, and graphs that captured calls find it where
// it was. Of several sizes the powers of two are allocated.
[[nodiscard]] std::shared_ptr<CallDevice> cuda_device(const cuda::Driver& driver, std::int32_t device);
#endif

}  // namespace fib::apply
