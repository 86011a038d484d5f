#pragma once

#include <cstdint>

#include "cuda/driver.h"
#include "cuda/relaxed_capture.h"

namespace fib::cuda {

// While it lives, the thread's context is this one, and what the thread makes (memory, modules) does not
// invalidate captures of other threads' streams. Throws DriverError.
class CurrentContext {
 public:
  // Afterwards the thread has what it had before, also where that is none.
  CurrentContext(const Driver& driver, CUcontext context);
  // The primary context of the device of that ordinal, which is kept until the process ends. A thread that
  // had none keeps it, too, as CUDA's runtime library has it.
  CurrentContext(const Driver& driver, std::int32_t device);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Driver& driver_;
  RelaxedCapture relaxed_;
  CUcontext before_ = nullptr;
  bool stays_ = false;
};

}  // namespace fib::cuda
