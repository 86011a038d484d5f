#pragma once

#include "fib_torch/core.h"
#include "tvm_ffi/abi.h"

// What the headers ask of the process that calls the extension. Tensors and values go in and out as those of
// TVM-FFI (libfib_tvm_ffi.so); libfib_torch.so works on tensors in host memory, and fib_torch.cu, compiled
// with the extension where its device is CUDA, on those in device memory.
extern "C" {

int TVMFFIObjectIncRef(void* object);
int TVMFFIObjectDecRef(void* object);
int TVMFFITensorFromDLPackVersioned(fib::tvm_ffi::ManagedTensorVersioned* from, std::int32_t alignment,
                                    std::int32_t needs_contiguous, void** out);
int TVMFFIEnvTensorAlloc(fib::tvm_ffi::TensorView* prototype, void** out);
void* TVMFFIEnvGetStream(std::int32_t device_type, std::int32_t device_id);
void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
void TVMFFIErrorMoveFromRaised(void** out);

// Copies all elements of `from` to those of `to`, of the same sizes and no more than 64 axes, with conversion
// of the dtype as torch converts; strides are there and may be zero in `from`. Both lie in host memory.
void fib_torch_copy(const fib::tvm_ffi::TensorView* to, const fib::tvm_ffi::TensorView* from);
// Writes the element at `value`, of the tensor's dtype, to all its elements.
void fib_torch_fill(const fib::tvm_ffi::TensorView* to, const void* value);

// The same in device memory, in the order of the stream; `from` and `to` are on one device. Null: no error;
// else a sentence that stays valid.
__attribute__((weak)) const char* fib_torch_cuda_copy(const fib::tvm_ffi::TensorView* to,
                                                      const fib::tvm_ffi::TensorView* from, void* stream);
__attribute__((weak)) const char* fib_torch_cuda_fill(const fib::tvm_ffi::TensorView* to, const void* value,
                                                      void* stream);
// Bytes between host and device, either way; returns when they are there.
__attribute__((weak)) const char* fib_torch_cuda_move(void* to, const void* from, std::size_t bytes,
                                                      void* stream);
__attribute__((weak)) int fib_torch_cuda_device();  // the current one

}  // extern "C"

namespace at::detail {

namespace abi = fib::tvm_ffi;
using c10::detail::raise;
using c10::detail::with_type;

struct DTypePair {
  ScalarType ours;
  abi::DataType theirs;
};
constexpr DTypePair kDTypes[] = {
    {ScalarType::Byte, {abi::kUInt, 8, 1}},
    {ScalarType::Char, {abi::kInt, 8, 1}},
    {ScalarType::Short, {abi::kInt, 16, 1}},
    {ScalarType::Int, {abi::kInt, 32, 1}},
    {ScalarType::Long, {abi::kInt, 64, 1}},
    {ScalarType::Half, {abi::kFloat, 16, 1}},
    {ScalarType::Float, {abi::kFloat, 32, 1}},
    {ScalarType::Double, {abi::kFloat, 64, 1}},
    {ScalarType::Bool, {abi::kBool, 8, 1}},
    {ScalarType::BFloat16, {abi::kBfloat, 16, 1}},
    {ScalarType::Float8_e5m2, {abi::kFloat8E5M2, 8, 1}},
    {ScalarType::Float8_e4m3fn, {abi::kFloat8E4M3FN, 8, 1}},
    {ScalarType::Float4_e2m1fn_x2, {abi::kFloat4E2M1FN, 4, 2}},
};

// Numbers of four bits come one by one, and are two to an element here.
inline ScalarType dtype_of(const abi::DataType& type) {
  if (type.code == abi::kFloat4E2M1FN) return ScalarType::Float4_e2m1fn_x2;
  for (const auto& pair : kDTypes) {
    if (pair.theirs == type) return pair.ours;
  }
  raise<Error>("a tensor of a dtype that fib's torch headers do not know");
}

inline abi::DataType data_type_of(ScalarType dtype) {
  for (const auto& pair : kDTypes) {
    if (pair.ours == dtype) return pair.theirs;
  }
  raise<Error>("a tensor without a dtype");
}

inline void check_cuda(const char* problem) {
  if (problem != nullptr) raise<CUDAError>(problem);
}

// Throws what a function of the runtime has raised.
[[noreturn]] inline void throw_raised() {
  void* handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (handle == nullptr) raise<Error>("a function of the runtime failed without a word");
  const auto& cell = static_cast<abi::ErrorObject*>(handle)->cell;
  std::string message(cell.message.data, cell.message.size);
  static_cast<void>(TVMFFIObjectDecRef(handle));
  raise<Error>(std::move(message));
}

}  // namespace at::detail
