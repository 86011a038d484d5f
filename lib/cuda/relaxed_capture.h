#pragma once

#include "cuda/driver.h"

namespace fib::cuda {

// While it lives, the thread may call what would disturb captures of other threads' streams (allocate, load,
// wait), and does not disturb them. Throws DriverError.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver& driver) : driver_(driver) {
    driver.check(driver.exchange_capture_mode(&mode_), "cuThreadExchangeStreamCaptureMode");
  }
  ~RelaxedCapture() { (void)driver_.exchange_capture_mode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // then what the thread had before
};

}  // namespace fib::cuda
