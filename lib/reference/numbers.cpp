#include "reference/numbers.h"

#include "python/arithmetic.h"

namespace fib::reference {
namespace {

using python::CompareOp;

python::Number to_number(const Value& value) {
  if (value.is<double>()) return to_double(value);
  return to_index(value);
}

Value to_value(const python::Number& number) {
  return std::visit([](auto value) { return Value(value); }, number);
}

}  // namespace

Value number_binary(python::BinaryOp op, const Value& a, const Value& b) {
  const bool bits =
      op == python::BinaryOp::kBitAnd || op == python::BinaryOp::kBitOr || op == python::BinaryOp::kBitXor;
  const Value result = to_value(python::binary(op, to_number(a), to_number(b)));
  if (bits && a.is<bool>() && b.is<bool>()) return is_true(result);
  return result;
}

Value number_unary(python::UnaryOp op, const Value& value) {
  switch (op) {
    case python::UnaryOp::kNot:
      return !is_true(value);
    case python::UnaryOp::kNegate:
      if (value.is<double>()) return -to_double(value);
      return to_value(python::binary(python::BinaryOp::kSub, std::int64_t{0}, to_index(value)));
    case python::UnaryOp::kPlus:
      if (value.is<double>()) return value;
      return to_index(value);
    case python::UnaryOp::kInvert:
      return ~to_index(value);
  }
  return value;
}

bool number_compare(CompareOp op, const Value& a, const Value& b) {
  return python::compare(op, to_number(a), to_number(b));
}

}  // namespace fib::reference
