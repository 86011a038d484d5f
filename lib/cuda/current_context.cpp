#include "cuda/current_context.h"

namespace fib::cuda {

CurrentContext::CurrentContext(const Driver& driver, CUcontext context) : driver_(driver), relaxed_(driver) {
  driver_.check(driver_.get_current(&before_), "cuCtxGetCurrent");
  driver_.check(driver_.set_current(context), "cuCtxSetCurrent");
}

CurrentContext::CurrentContext(const Driver& driver, std::int32_t device)
    : driver_(driver), relaxed_(driver) {
  driver_.check(driver_.get_current(&before_), "cuCtxGetCurrent");
  CUdevice handle = 0;
  driver_.check(driver_.device_get(&handle, device), "cuDeviceGet");
  CUcontext primary = nullptr;
  driver_.check(driver_.primary_retain(&primary, handle), "cuDevicePrimaryCtxRetain");
  driver_.check(driver_.set_current(primary), "cuCtxSetCurrent");
  stays_ = before_ == nullptr;
}

CurrentContext::~CurrentContext() {
  if (!stays_) (void)driver_.set_current(before_);
}

}  // namespace fib::cuda
