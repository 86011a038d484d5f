#include "reference/operators.h"

#include <array>

#include "ops/matmul.h"
#include "ops/tensor_math.h"
#include "python/symbols.h"
#include "reference/arguments.h"
#include "reference/numbers.h"

namespace fib::reference {
namespace {

using python::CompareOp;

// Torch's names of the operators, in the order of the enums; "@" and "**" are apart.
constexpr std::array<const char*, 13> kTensorOps = {"add",
                                                    "sub",
                                                    "mul",
                                                    "",
                                                    "div",
                                                    "floor_divide",
                                                    "remainder",
                                                    "",
                                                    "bitwise_left_shift",
                                                    "bitwise_right_shift",
                                                    "bitwise_and",
                                                    "bitwise_or",
                                                    "bitwise_xor"};
constexpr std::array<const char*, 6> kTensorCompares = {"eq", "ne", "lt", "le", "gt", "ge"};

Error not_defined(const char* symbol, const Value& a, const Value& b) {
  return Error("\"{}\" is not defined for {} and {}", symbol, type_name(a), type_name(b));
}

bool is_operand(const Value& value) { return value.is<Tensor>() || is_number(value); }

ops::Operand operand_of(const Runtime& runtime, const Value& value) {
  if (const auto* tensor = value.get<Tensor>()) return {*tensor, false};
  return number_operand(runtime, value);
}

Tensor tensor_binary(const Runtime& runtime, python::BinaryOp op, const Value& a, const Value& b) {
  if (op == python::BinaryOp::kMatMult) {
    if (!a.is<Tensor>() || !b.is<Tensor>()) throw not_defined("@", a, b);
    return matmul(runtime, *a.get<Tensor>(), *b.get<Tensor>());
  }
  const ops::Operand left = operand_of(runtime, a);
  const ops::Operand right = operand_of(runtime, b);
  if (op == python::BinaryOp::kPow) return power(runtime, left, right);
  // As torch's Tensor defines these for a number on the left: reciprocal() * number, and number * tensor
  // turned around.
  if (op == python::BinaryOp::kDiv && left.is_number)
    return binary(runtime, ops::binary_op("mul"),
                  {unary(runtime, ops::unary_op("reciprocal"), right.tensor), false}, left);
  if (op == python::BinaryOp::kMult && left.is_number)
    return binary(runtime, ops::binary_op("mul"), right, left);
  return binary(runtime, ops::binary_op(kTensorOps[static_cast<std::size_t>(op)]), left, right);
}

Value repeated(const Value& sequence, std::int64_t times) {
  std::vector<Value> items;
  for (std::int64_t i = 0; i < times; ++i) {
    items.insert(items.end(), sequence_of(sequence)->begin(), sequence_of(sequence)->end());
    if (items.size() > 1'000'000) throw Error("a list of more than a million items is not supported");
  }
  return sequence.is<ListPtr>() ? make_list(std::move(items)) : make_tuple(std::move(items));
}

Value sequence_binary(python::BinaryOp op, const Value& a, const Value& b) {
  if (op == python::BinaryOp::kAdd && a.kind.index() == b.kind.index()) {
    if (const auto* text = a.get<std::string>()) return *text + *b.get<std::string>();
    if (const auto* items = sequence_of(a)) {
      std::vector<Value> joined = *items;
      joined.insert(joined.end(), sequence_of(b)->begin(), sequence_of(b)->end());
      return a.is<ListPtr>() ? make_list(std::move(joined)) : make_tuple(std::move(joined));
    }
  }
  if (op == python::BinaryOp::kMult && sequence_of(a) != nullptr && is_number(b))
    return repeated(a, to_index(b));
  if (op == python::BinaryOp::kMult && sequence_of(b) != nullptr && is_number(a))
    return repeated(b, to_index(a));
  throw not_defined(symbol_of(op), a, b);
}

bool contains(const Value& container, const Value& item) {
  if (const auto* text = container.get<std::string>()) {
    const auto* part = item.get<std::string>();
    if (part == nullptr) throw not_defined("in", item, container);
    return text->find(*part) != std::string::npos;
  }
  for (const Value& candidate : items_of(container)) {
    if (are_equal(candidate, item)) return true;
  }
  return false;
}

bool is_same(const Value& a, const Value& b) {
  if (a.kind.index() != b.kind.index()) return false;
  if (const auto* list = a.get<ListPtr>()) return *list == *b.get<ListPtr>();
  if (const auto* tensor = a.get<Tensor>()) {
    const Tensor& other = *b.get<Tensor>();
    return tensor->storage == other.storage && tensor->offset == other.offset &&
           tensor->shape == other.shape && tensor->strides == other.strides;
  }
  return are_equal(a, b);
}

bool sequence_less(const Value& a, const Value& b) {
  const std::vector<Value>& x = *sequence_of(a);
  const std::vector<Value>& y = *sequence_of(b);
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (are_equal(x[i], y[i])) continue;
    if (!is_number(x[i]) || !is_number(y[i])) throw not_defined("<", x[i], y[i]);
    return number_compare(CompareOp::kLt, x[i], y[i]);
  }
  return x.size() < y.size();
}

bool plain_compare(CompareOp op, const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return number_compare(op, a, b);
  if (op == CompareOp::kEq) return are_equal(a, b);
  if (op == CompareOp::kNotEq) return !are_equal(a, b);
  if (sequence_of(a) == nullptr || sequence_of(b) == nullptr) throw not_defined(symbol_of(op), a, b);
  switch (op) {
    case CompareOp::kLt:
      return sequence_less(a, b);
    case CompareOp::kGt:
      return sequence_less(b, a);
    case CompareOp::kLtE:
      return !sequence_less(b, a);
    default:
      return !sequence_less(a, b);
  }
}

}  // namespace

Value binary_operator(const Runtime& runtime, python::BinaryOp op, const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return number_binary(op, a, b);
  if (!a.is<Tensor>() && !b.is<Tensor>()) return sequence_binary(op, a, b);
  if (!is_operand(a) || !is_operand(b)) throw not_defined(symbol_of(op), a, b);
  return tensor_binary(runtime, op, a, b);
}

Value augmented(const Runtime& runtime, python::BinaryOp op, const Value& a, const Value& b) {
  if (const auto* list = a.get<ListPtr>(); list != nullptr && op == python::BinaryOp::kAdd) {
    const std::vector<Value> added = items_of(b);
    (*list)->insert((*list)->end(), added.begin(), added.end());
    return a;
  }
  const auto* target = a.get<Tensor>();
  if (target == nullptr || !is_operand(b)) return binary_operator(runtime, op, a, b);
  if (op == python::BinaryOp::kMatMult || op == python::BinaryOp::kPow) {
    const Tensor result = tensor_binary(runtime, op, a, b);
    if (op == python::BinaryOp::kMatMult) return result;
    ops::check_can_cast(result.dtype, target->dtype);
    copy_into(runtime, result, *target);
    return a;
  }
  binary_in_place(runtime, ops::binary_op(kTensorOps[static_cast<std::size_t>(op)]), *target,
                  operand_of(runtime, b));
  return a;
}

Value unary_operator(const Runtime& runtime, python::UnaryOp op, const Value& value) {
  if (op == python::UnaryOp::kNot) return !is_true(value);
  if (is_number(value)) return number_unary(op, value);
  const auto* tensor = value.get<Tensor>();
  if (tensor == nullptr) throw Error("this operator is not defined for {}", type_name(value));
  if (op == python::UnaryOp::kPlus) return value;
  return op == python::UnaryOp::kInvert ? inverted(runtime, *tensor)
                                        : unary(runtime, ops::unary_op("neg"), *tensor);
}

Value compare(const Runtime& runtime, CompareOp op, const Value& a, const Value& b) {
  switch (op) {
    case CompareOp::kIs:
      return is_same(a, b);
    case CompareOp::kIsNot:
      return !is_same(a, b);
    case CompareOp::kIn:
      return contains(b, a);
    case CompareOp::kNotIn:
      return !contains(b, a);
    default:
      break;
  }
  if ((a.is<Tensor>() || b.is<Tensor>()) && is_operand(a) && is_operand(b)) {
    return binary(runtime, ops::binary_op(kTensorCompares[static_cast<std::size_t>(op)]),
                  operand_of(runtime, a), operand_of(runtime, b));
  }
  return plain_compare(op, a, b);
}

}  // namespace fib::reference
