#include <algorithm>
#include <array>

#include "ops/elementwise.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

DType common_dtype(const std::vector<Tensor>& tensors) {
  DType dtype = tensors.front().dtype;
  for (const Tensor& tensor : tensors) dtype = ops::promote(dtype, tensor.dtype);
  return dtype;
}

Tensor concatenate(const Runtime& runtime, const std::vector<Tensor>& tensors, int dim) {
  Shape shape = tensors.front().shape;
  std::int64_t total = 0;
  for (const Tensor& tensor : tensors) {
    Shape other = tensor.shape;
    if (other.size() != shape.size()) throw Error("cat needs tensors of equally many dimensions");
    total += tensor.size(dim);
    other[static_cast<std::size_t>(dim)] = shape[static_cast<std::size_t>(dim)];
    if (other != shape) {
      throw Error("cat needs tensors whose shapes differ only in dimension {}, not {} and {}", dim,
                  tensor::to_string(tensors.front().shape), tensor::to_string(tensor.shape));
    }
  }
  shape[static_cast<std::size_t>(dim)] = total;
  Tensor result = make_empty(runtime, common_dtype(tensors), shape);
  std::int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    copy_into(runtime, tensor, narrow(result, dim, start, tensor.size(dim)));
    start += tensor.size(dim);
  }
  return result;
}

Value cat(const Runtime& runtime, const Arguments& a) {
  std::vector<Tensor> tensors = a.tensors("tensors");
  // torch leaves out empty vectors, whatever the others' shapes.
  const auto is_nothing = [](const Tensor& t) { return t.shape == Shape{0}; };
  if (std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& t) { return !is_nothing(t); })) {
    std::erase_if(tensors, is_nothing);
  }
  if (tensors.empty()) throw Error("{} needs at least one tensor", a.function_name());
  if (tensors.front().rank() == 0) throw Error("{} needs tensors with dimensions", a.function_name());
  return concatenate(runtime, tensors, ops::wrap_dim(a.integer_or("dim", 0), tensors.front().rank()));
}

Value stack(const Runtime& runtime, const Arguments& a) {
  std::vector<Tensor> tensors = a.tensors("tensors");
  if (tensors.empty()) throw Error("{} needs at least one tensor", a.function_name());
  const int dim = ops::wrap_dim(a.integer_or("dim", 0), tensors.front().rank() + 1);
  for (Tensor& tensor : tensors) tensor = unsqueeze(tensor, dim);
  return concatenate(runtime, tensors, dim);
}

constexpr std::array kJoinFunctions = {
    BuiltinRow{"cat", kTorch, "tensors dim?", cat},
    BuiltinRow{"concat", kTorch, "tensors dim?", cat},
    BuiltinRow{"concatenate", kTorch, "tensors dim?", cat},
    BuiltinRow{"stack", kTorch, "tensors dim?", stack},
};

}  // namespace

std::span<const BuiltinRow> joining_functions() { return kJoinFunctions; }

}  // namespace fib::reference
