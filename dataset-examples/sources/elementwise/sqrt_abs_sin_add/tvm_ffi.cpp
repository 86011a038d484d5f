// sqrt(|sin(a + b)|) as a function of TVM-FFI, which checks what it is given: it needs the headers of apache-tvm-ffi to
// be built, and neither Python nor libtvm_ffi to run.

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cmath>

namespace ffi = tvm::ffi;

void sqrt_abs_sin_add(ffi::TensorView a, ffi::TensorView b, ffi::TensorView output) {
  const std::int64_t n = output.shape()[0];
  if (a.shape()[0] != n || b.shape()[0] != n) TVM_FFI_THROW(ValueError) << "all three have " << n << " elements";
  const auto* x = static_cast<const float*>(a.data_ptr());
  const auto* y = static_cast<const float*>(b.data_ptr());
  auto* z = static_cast<float*>(output.data_ptr());
  for (std::int64_t i = 0; i < n; ++i) z[i] = std::sqrt(std::fabs(std::sin(x[i] + y[i])));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, sqrt_abs_sin_add);
