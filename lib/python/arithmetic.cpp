#include "python/arithmetic.h"

#include <cmath>
#include <limits>

#include "python/symbols.h"
#include "util/error.h"

namespace fib::python {
namespace {

using Int = std::int64_t;

Error too_large() { return Error("an integer does not fit 64 bits"); }

Int floor_divide(Int a, Int b) {
  if (b == 0) throw Error("integer division by zero");
  if (b == -1) {
    if (a == std::numeric_limits<Int>::min()) throw too_large();
    return -a;
  }
  const Int quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Int modulo(Int a, Int b) {
  if (b == 0) throw Error("integer modulo by zero");
  if (b == -1) return 0;
  const Int rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Int shift_left(Int a, Int b) {
  if (b < 0) throw Error("negative shift count");
  Int result = 0;
  if (a != 0 && (b > 62 || __builtin_mul_overflow(a, Int{1} << b, &result))) throw too_large();
  return result;
}

Int shift_right(Int a, Int b) {
  if (b < 0) throw Error("negative shift count");
  return a >> (b > 63 ? 63 : b);
}

Int multiplied(Int a, Int b) {
  Int result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw too_large();
  return result;
}

Number int_power(Int base, Int exponent) {
  if (exponent < 0) {
    if (base == 0) throw Error("0 cannot be raised to a negative power");
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  Int result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0) result = multiplied(result, base);
    exponent >>= 1;
    if (exponent > 0) base = multiplied(base, base);
  }
  return result;
}

Number int_binary(BinaryOp op, Int a, Int b) {
  Int result = 0;
  switch (op) {
    case BinaryOp::kAdd:
      if (__builtin_add_overflow(a, b, &result)) throw too_large();
      return result;
    case BinaryOp::kSub:
      if (__builtin_sub_overflow(a, b, &result)) throw too_large();
      return result;
    case BinaryOp::kMult:
      return multiplied(a, b);
    case BinaryOp::kDiv:
      if (b == 0) throw Error("division by zero");
      return static_cast<double>(a) / static_cast<double>(b);
    case BinaryOp::kFloorDiv:
      return floor_divide(a, b);
    case BinaryOp::kMod:
      return modulo(a, b);
    case BinaryOp::kPow:
      return int_power(a, b);
    case BinaryOp::kLShift:
      return shift_left(a, b);
    case BinaryOp::kRShift:
      return shift_right(a, b);
    case BinaryOp::kBitAnd:
      return a & b;
    case BinaryOp::kBitOr:
      return a | b;
    case BinaryOp::kBitXor:
      return a ^ b;
    case BinaryOp::kMatMult:
      break;
  }
  throw Error("\"@\" is not defined for numbers");
}

Number float_binary(BinaryOp op, double a, double b) {
  const bool divides = op == BinaryOp::kDiv || op == BinaryOp::kFloorDiv || op == BinaryOp::kMod;
  if (divides && b == 0) throw Error("float division by zero");
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMult:
      return a * b;
    case BinaryOp::kDiv:
      return a / b;
    case BinaryOp::kFloorDiv:
      return std::floor(a / b);
    case BinaryOp::kMod: {
      const double rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case BinaryOp::kPow:
      if (a == 0 && b < 0) throw Error("0.0 cannot be raised to a negative power");
      if (a < 0 && b != std::floor(b)) throw Error("a negative number to a fractional power is complex");
      return std::pow(a, b);
    default:
      throw Error("\"{}\" is not defined for floats", symbol_of(op));
  }
}

template <typename T>
bool compared(CompareOp op, T a, T b) {
  switch (op) {
    case CompareOp::kEq:
      return a == b;
    case CompareOp::kNotEq:
      return a != b;
    case CompareOp::kLt:
      return a < b;
    case CompareOp::kLtE:
      return a <= b;
    case CompareOp::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

double to_double(Number number) {
  if (const auto* integer = std::get_if<Int>(&number)) return static_cast<double>(*integer);
  return std::get<double>(number);
}

}  // namespace

Number binary(BinaryOp op, Number a, Number b) {
  const auto* left = std::get_if<Int>(&a);
  const auto* right = std::get_if<Int>(&b);
  if (left != nullptr && right != nullptr) return int_binary(op, *left, *right);
  return float_binary(op, to_double(a), to_double(b));
}

bool compare(CompareOp op, Number a, Number b) {
  const auto* left = std::get_if<Int>(&a);
  const auto* right = std::get_if<Int>(&b);
  if (left != nullptr && right != nullptr) return compared(op, *left, *right);
  return compared(op, to_double(a), to_double(b));
}

}  // namespace fib::python
