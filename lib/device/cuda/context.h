#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

#include "cuda/driver.h"

namespace fib::device::cuda {

using Driver = fib::cuda::Driver;

enum class StreamKind {
  kOwn,      // one that waits for no other
  kDefault,  // the default stream (legacy), where torch and code that names none queue their work
};

// One device of this process: the driver's table, the device's primary context made current, and the stream
// for fib's work. Made once in a child that works with the device; not copyable; to be used by the thread
// that made it.
class Context {
 public:
  // `uuid` as fib::cuda::DeviceInfo has it. Throws Error when no visible device has it or CUDA cannot start.
  explicit Context(const std::string& uuid, StreamKind stream = StreamKind::kOwn)
      : Context(Driver::open(), uuid, stream) {}
  // The same by this table of the driver's functions.
  Context(const Driver& driver, const std::string& uuid, StreamKind stream);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Driver& driver() const { return driver_; }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUcontext handle() const { return context_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] CUstream stream() const { return stream_; }
  [[nodiscard]] int attribute(CUdevice_attribute which) const;
  [[nodiscard]] unsigned multiprocessors() const { return multiprocessors_; }
  [[nodiscard]] std::uint64_t l2_bytes() const { return l2_bytes_; }

  void check(CUresult result, const char* function) const { driver_.check(result, function); }
  // Waits for everything that was queued on fib's stream. Throws DriverError.
  void wait() const { check(driver_.stream_synchronize(stream_), "cuStreamSynchronize"); }
  // Waits for everything that any stream of the context has to do, whichever context is the thread's: it is
  // this one then. Throws DriverError.
  void wait_for_all() const {
    check(driver_.set_current(context_), "cuCtxSetCurrent");
    check(driver_.synchronize(), "cuCtxSynchronize");
  }

 private:
  Driver driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  int ordinal_ = 0;
  unsigned multiprocessors_ = 0;
  std::uint64_t l2_bytes_ = 0;
};

}  // namespace fib::device::cuda
