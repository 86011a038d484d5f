#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "tvm_ffi/abi.h"

namespace fib::torch_headers {
struct Interface;  // fib_torch/interface.h
}

// What everybody needs who calls functions of TVM-FFI's convention in his own process.
namespace fib::calling {

// A symbol of a library, which is opened for itself alone and stays loaded until the process ends; its
// constructors run here. Throws Error.
[[nodiscard]] void* symbol_of(const std::string& path, const std::string& symbol);

// An error that a function has raised.
struct RaisedError {
  std::string kind;
  std::string message;
  std::string backtrace;  // lines, the most recent call first

  [[nodiscard]] std::string text() const { return kind + ": " + message; }
};

// Functions of the runtime that this process has loaded, which may be fib's or the package's.
struct FfiRuntime {
  FfiRuntime();  // throws Error where none is loaded for all of the process

  int (*tensor_from_dlpack)(tvm_ffi::ManagedTensorVersioned*, std::int32_t, std::int32_t, void**);
  int (*release)(void*);
  void (*take_error)(void**);
  int (*set_stream)(std::int32_t, std::int32_t, void*, void**);
  int (*set_allocator)(tvm_ffi::TensorAllocator, int, tvm_ffi::TensorAllocator*);

  // What this thread has raised last, which is forgotten then.
  [[nodiscard]] std::optional<RaisedError> raised() const;

  // The same as a sentence about a function ("the solution") that returned `status`.
  [[nodiscard]] std::string raised_text(const char* function, int status) const;

  // What a value holds is given back, and the value becomes nothing.
  void forget(tvm_ffi::Any& value) const;
};

// What is called, and how.
struct FfiFunction {
  tvm_ffi::SafeCall call = nullptr;
  void* self = nullptr;
  const torch_headers::Interface* torch = nullptr;  // of a torch extension; else null
};

// The function that a library exports as `symbol` ("__tvm_ffi_run"). Throws Error.
[[nodiscard]] FfiFunction ffi_function(const std::string& path, const std::string& symbol);

// The function `symbol` that a torch extension binds, which was built with fib's torch headers for the name
// `extension`. Throws Error.
[[nodiscard]] FfiFunction torch_function(const FfiRuntime& runtime, const std::string& path,
                                         const std::string& extension, const std::string& symbol);

// A tensor with its sizes, contiguous; who frees its memory is told by the deleter, which here frees none.
struct OwnTensor : tvm_ffi::ManagedTensorVersioned {
  OwnTensor(void* data, tvm_ffi::Device device, tvm_ffi::DataType dtype, std::vector<std::int64_t> sizes);
  OwnTensor(const OwnTensor&) = delete;
  OwnTensor& operator=(const OwnTensor&) = delete;

  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

// A tensor object over somebody's memory. Throws Error.
[[nodiscard]] tvm_ffi::Any tensor_argument(const FfiRuntime& runtime, void* data, tvm_ffi::Device device,
                                           tvm_ffi::DataType dtype, std::vector<std::int64_t> sizes);

// A scalar of that dtype from its 8 bytes (arguments::scalar_bits()).
[[nodiscard]] tvm_ffi::Any scalar_argument(tensor::DType dtype, std::int64_t bits);

// What an environment is asked for memory for: how many bytes the tensor has. Throws Error where no tensor
// has these sizes.
[[nodiscard]] std::uint64_t bytes_of(const tvm_ffi::TensorView& prototype);

}  // namespace fib::calling
