#include <array>

#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/tensor_math.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

Value matmul_function(const Runtime& runtime, const Arguments& a) {
  return matmul(runtime, a.tensor("input"), a.tensor("other"));
}

// bmm, mm, mv and dot are matmul for operands of fixed ranks.
template <int left_rank, int right_rank>
Value matmul_of(const Runtime& runtime, const Arguments& a) {
  const Tensor left = a.tensor("input");
  const Tensor right = a.tensor("other");
  if (left.rank() != left_rank || right.rank() != right_rank) {
    throw Error("{} needs tensors of {} and {} dimensions, not {} and {}", a.function_name(), left_rank,
                right_rank, left.rank(), right.rank());
  }
  if (left_rank == 3 && left.size(0) != right.size(0)) {
    throw Error("{} needs batches of one size, not {} and {}", a.function_name(), left.size(0),
                right.size(0));
  }
  return matmul(runtime, left, right);
}

Value outer(const Runtime& runtime, const Arguments& a) {
  return mul(runtime, unsqueeze(a.tensor("input"), 1), unsqueeze(a.tensor("other"), 0));
}

// beta * input + alpha * (a @ b), rounded once more than torch does for float32 and wider.
Value addmm(const Runtime& runtime, const Arguments& a) {
  Tensor product =
      matmul(runtime, widened_float(runtime, a.tensor("mat1")), widened_float(runtime, a.tensor("mat2")));
  Tensor input = widened_float(runtime, a.tensor("input"));
  if (a.has("alpha"))
    product = binary(runtime, ops::binary_op("mul"), {product, false}, a.operand(runtime, "alpha"));
  if (a.has("beta"))
    input = binary(runtime, ops::binary_op("mul"), {input, false}, a.operand(runtime, "beta"));
  return to_dtype(runtime, add(runtime, input, product), a.tensor("mat1").dtype);
}

Value einsum_function(const Runtime& runtime, const Arguments& a) {
  std::vector<Tensor> operands;
  const bool one_list = a.rest().size() == 1 && sequence_of(a.rest().front()) != nullptr;
  for (const Value& value : one_list ? *sequence_of(a.rest().front()) : a.rest()) {
    const auto* tensor = value.get<Tensor>();
    if (tensor == nullptr)
      throw Error("{} needs tensors, not a value of type {}", a.function_name(), type_name(value));
    operands.push_back(*tensor);
  }
  return einsum(runtime, a.text("equation"), operands);
}

Value linear(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const Tensor weight = a.tensor("weight");
  const Tensor transposed = weight.rank() == 2 ? transpose(weight, 0, 1) : weight;
  if (!a.has("bias")) return matmul(runtime, input, transposed);
  const Tensor product = matmul(runtime, widened_float(runtime, input), widened_float(runtime, transposed));
  return to_dtype(runtime, add(runtime, product, widened_float(runtime, a.tensor("bias"))), input.dtype);
}

constexpr std::array kMatrixFunctions = {
    BuiltinRow{"matmul", kTorch | kMethod, "input other", matmul_function},
    BuiltinRow{"bmm", kTorch | kMethod, "input other", matmul_of<3, 3>},
    BuiltinRow{"mm", kTorch | kMethod, "input other", matmul_of<2, 2>},
    BuiltinRow{"mv", kTorch | kMethod, "input other", matmul_of<2, 1>},
    BuiltinRow{"dot", kTorch | kMethod, "input other", matmul_of<1, 1>},
    BuiltinRow{"outer", kTorch | kMethod, "input other", outer},
    BuiltinRow{"addmm", kTorch | kMethod, "input mat1 mat2 beta? alpha?", addmm},
    BuiltinRow{"baddbmm", kTorch | kMethod, "input mat1 mat2 beta? alpha?", addmm},
    BuiltinRow{"einsum", kTorch, "equation *operands", einsum_function},
    BuiltinRow{"linear", kFunctional, "input weight bias?", linear},
};

}  // namespace

std::span<const BuiltinRow> matrix_functions() { return kMatrixFunctions; }

}  // namespace fib::reference
