#include "calling/returned.h"

#include "fib_torch/interface.h"
#include "util/error.h"

namespace fib::calling {
namespace {

using tvm_ffi::Any;
using tvm_ffi::TensorView;

constexpr std::int32_t kMostAxes = 64;       // of a tensor
constexpr std::int64_t kMostOutputs = 1024;  // of an array that a function returns

bool is_number(const Any& value) {
  return value.type_index == tvm_ffi::kTypeInt || value.type_index == tvm_ffi::kTypeBool ||
         value.type_index == tvm_ffi::kTypeFloat;
}

}  // namespace

void ReturnedTensors::forget() {
  views_.clear();
  for (auto& tensor : made_) runtime_.forget(tensor);
  made_.clear();
  runtime_.forget(result_);
}

void ReturnedTensors::add_view(const TensorView& view) {
  if (view.ndim < 0 || view.ndim > kMostAxes || (view.ndim > 0 && view.shape == nullptr))
    throw Error("the function returned a tensor of {} axes", view.ndim);
  std::int64_t count = 1;
  for (std::int32_t i = 0; i < view.ndim; ++i) {
    if (view.shape[i] < 0 || (view.shape[i] > 0 && __builtin_mul_overflow(count, view.shape[i], &count)))
      throw Error("the function returned a tensor of no possible size");
  }
  views_.push_back(view);
}

void ReturnedTensors::add(const FfiFunction& function, const Any& value, const ExpectedOutputs& expected) {
  if (value.type_index == tvm_ffi::kTypeTensor)
    return add_view(static_cast<const tvm_ffi::TensorObject*>(value.object)->cell);
  const std::size_t output = views_.size();
  Any tensor;
  const int status = function.torch->full(&value, expected.dtypes.at(output), expected.device, &tensor);
  if (status != 0) throw Error("{}", runtime_.raised_text("the function", status));
  made_.push_back(tensor);
  add_view(static_cast<const tvm_ffi::TensorObject*>(tensor.object)->cell);
}

void ReturnedTensors::take(const FfiFunction& function, const Any& result, const ExpectedOutputs& expected) {
  forget();
  result_ = result;
  // Whether a number may stand for the next output.
  const auto takes_number = [&](const Any& value) {
    return function.torch != nullptr && is_number(value) && views_.size() < expected.dtypes.size();
  };
  if (takes_number(result)) return add(function, result, expected);
  switch (result.type_index) {
    case tvm_ffi::kTypeNone:
      return;
    case tvm_ffi::kTypeTensorView:
      return add_view(*static_cast<const TensorView*>(result.pointer));
    case tvm_ffi::kTypeTensor:
      return add(function, result, expected);
    case tvm_ffi::kTypeArray:
    case tvm_ffi::kTypeList: {
      const auto& cell = static_cast<const tvm_ffi::SequenceObject*>(result.object)->cell;
      if (cell.size < 0 || cell.size > kMostOutputs)
        throw Error("the function returned an array of {} elements", cell.size);
      for (std::int64_t i = 0; i < cell.size; ++i) {
        const auto& element = cell.data[i];
        if (element.type_index != tvm_ffi::kTypeTensor && !takes_number(element))
          throw Error("element {} of the array that the function returned is no tensor", i);
        add(function, element, expected);
      }
      return;
    }
    default:
      throw Error("the function returned neither a tensor nor an array of tensors (TVM-FFI's type {})",
                  result.type_index);
  }
}

}  // namespace fib::calling
