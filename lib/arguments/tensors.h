#pragma once

#include <fib.h>

#include <cstddef>
#include <cstdint>

#include "tvm_ffi/abi.h"
#include "tvm_ffi/dtypes.h"

// Tensors of other programs, as DLPack describes them. Pure functions; none allocates.
namespace fib::arguments {

[[nodiscard]] inline tvm_ffi::DataType data_type_of(const fib_tensor& tensor) {
  return {tensor.dtype_code, tensor.dtype_bits, tensor.dtype_lanes};
}

// The first element's address.
[[nodiscard]] inline std::byte* address_of(const fib_tensor& tensor) {
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

// Whether the elements lie one behind the other in row-major order. Strides of axes with one element, and of
// tensors without elements, do not matter.
[[nodiscard]] inline bool is_contiguous(std::int32_t ndim, const std::int64_t* shape,
                                        const std::int64_t* strides) {
  if (strides == nullptr) return true;
  std::int64_t step = 1;
  bool in_order = true;
  for (std::int32_t i = ndim; i-- > 0;) {
    const std::int64_t size = shape[i];
    if (size == 0) return true;
    if (size != 1 && strides[i] != step) in_order = false;
    if (__builtin_mul_overflow(step, size, &step)) return false;  // there is no memory of that size
  }
  return in_order;
}
[[nodiscard]] inline bool is_contiguous(const fib_tensor& tensor) {
  return is_contiguous(tensor.ndim, tensor.shape, tensor.strides);
}
[[nodiscard]] inline bool is_contiguous(const tvm_ffi::TensorView& tensor) {
  return is_contiguous(tensor.ndim, tensor.shape, tensor.strides);
}

// Whether tensors on a device of this type, as DLPack has it, lie in memory of the host that this process
// reads like any other.
[[nodiscard]] constexpr bool is_on_host(std::int32_t device_type) {
  constexpr std::int32_t kCudaHost = 3;  // page-locked memory
  return device_type == tvm_ffi::kCpu || device_type == kCudaHost;
}

// What solutions may expect of a tensor's address, in bytes: the alignment of buffers in a run on CUDA, and
// that of the widest vectors on the CPU.
[[nodiscard]] constexpr std::uint64_t alignment_on(std::int32_t device_type) {
  return device_type == tvm_ffi::kCpu ? 64 : 256;
}

static_assert(sizeof(fib_tensor) == sizeof(tvm_ffi::TensorView) &&
              offsetof(fib_tensor, shape) == offsetof(tvm_ffi::TensorView, shape));

}  // namespace fib::arguments
