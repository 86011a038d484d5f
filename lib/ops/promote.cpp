#include "ops/promote.h"

#include <algorithm>
#include <optional>

#include "util/error.h"

namespace fib::ops {
namespace {

bool is_bool(DType dtype) { return dtype == DType::kBool; }

int category(DType dtype) { return is_bool(dtype) ? 0 : tensor::is_integral(dtype) ? 1 : 2; }

DType promote_floats(DType a, DType b) {
  if (is_float8(a) || is_float8(b)) {
    throw Error("{} and {} do not promote to a common dtype; convert one of them with .to()",
                tensor::name_of(a), tensor::name_of(b));
  }
  if (a == DType::kFloat64 || b == DType::kFloat64) return DType::kFloat64;
  return DType::kFloat32;  // also float16 with bfloat16
}

DType promote_integers(DType a, DType b) {
  // uint8 fits none of int8's values below zero: the next wider signed type holds both.
  const bool mixed = (a == DType::kUInt8) != (b == DType::kUInt8);
  const std::size_t bits = std::max(tensor::bits_of(a), tensor::bits_of(b));
  if (mixed && bits == 8) return DType::kInt16;
  return tensor::bits_of(a) >= tensor::bits_of(b) ? a : b;
}

DType combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return *lower;
  if (!lower || tensor::is_floating(*higher)) return *higher;
  if (is_bool(*higher) || tensor::is_floating(*lower)) return promote(*higher, *lower);
  return *higher;
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  return category(a) == 2 ? promote_floats(a, b) : promote_integers(a, b);
}

DType result_type(std::initializer_list<const Operand*> operands) {
  std::optional<DType> with_dimensions;
  std::optional<DType> without;
  std::optional<DType> numbers;
  for (const Operand* operand : operands) {
    DType dtype = operand->tensor.dtype;
    if (operand->is_number && dtype == DType::kFloat64) dtype = DType::kFloat32;
    std::optional<DType>& slot = operand->is_number            ? numbers
                                 : operand->tensor.rank() == 0 ? without
                                                               : with_dimensions;
    slot = slot ? promote(*slot, dtype) : dtype;
  }
  if (!without && !numbers) return *with_dimensions;
  if (!without) return combine(with_dimensions, numbers);
  return combine(with_dimensions, combine(without, numbers));
}

void check_can_cast(DType from, DType to) {
  if (category(from) > category(to)) {
    throw Error("a result of dtype {} cannot be stored in a tensor of {}", tensor::name_of(from),
                tensor::name_of(to));
  }
}

}  // namespace fib::ops
