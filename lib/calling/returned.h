#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calling/tvm_ffi.h"

namespace fib::calling {

// What a function is to return: the dtypes of its outputs, in their order, on one device.
struct ExpectedOutputs {
  std::vector<tvm_ffi::DataType> dtypes;
  tvm_ffi::Device device{};
};

// The tensors that a function of TVM-FFI's convention has returned: a tensor, or an array or list of tensors,
// in the order of the outputs; of a torch extension a number stands for an output without axes, too. Used
// again for the next call, so that nothing is allocated then.
class ReturnedTensors {
 public:
  explicit ReturnedTensors(const FfiRuntime& runtime) : runtime_(runtime) {}
  ~ReturnedTensors() { forget(); }
  ReturnedTensors(const ReturnedTensors&) = delete;
  ReturnedTensors& operator=(const ReturnedTensors&) = delete;

  // Keeps what `function` has returned, instead of what was kept before. Throws Error, in a sentence, where
  // it is not made of tensors, or of tensors that nothing can describe; it is kept then, too.
  void take(const FfiFunction& function, const tvm_ffi::Any& result, const ExpectedOutputs& expected);

  // They are valid until the next take() or forget().
  [[nodiscard]] const std::vector<tvm_ffi::TensorView>& views() const { return views_; }

  void forget();

 private:
  void add(const FfiFunction& function, const tvm_ffi::Any& value, const ExpectedOutputs& expected);
  void add_view(const tvm_ffi::TensorView& view);

  const FfiRuntime& runtime_;
  tvm_ffi::Any result_;
  std::vector<tvm_ffi::Any> made_;  // tensors of numbers
  std::vector<tvm_ffi::TensorView> views_;
};

// Where a tensor's first element lies.
[[nodiscard]] inline std::uint64_t address_of(const tvm_ffi::TensorView& view) {
  return reinterpret_cast<std::uintptr_t>(view.data) + view.byte_offset;
}

}  // namespace fib::calling
