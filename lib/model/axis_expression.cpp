#include "model/axis_expression.h"

#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "python/arithmetic.h"
#include "python/parser.h"
#include "util/error.h"

namespace fib::model {
namespace {

using python::BinaryOp;
using python::Expr;
using python::Number;

constexpr double kExact = 9007199254740992.0;  // 2^53: whole doubles up to here are exact

bool is_arithmetic(BinaryOp op) { return op <= BinaryOp::kPow && op != BinaryOp::kMatMult; }

bool is_sign(python::UnaryOp op) { return op == python::UnaryOp::kPlus || op == python::UnaryOp::kNegate; }

void check(const Expr& expr, const std::set<std::string>& names) {
  const auto* constant = std::get_if<python::Constant>(&expr.node);
  const auto* name = std::get_if<python::Name>(&expr.node);
  const auto* unary = std::get_if<python::Unary>(&expr.node);
  const auto* binary = std::get_if<python::Binary>(&expr.node);
  if (name != nullptr) {
    if (!names.contains(name->id)) throw Error("\"{}\" is not a constant or variable axis", name->id);
  } else if (unary != nullptr && is_sign(unary->op)) {
    check(*unary->operand, names);
  } else if (binary != nullptr && is_arithmetic(binary->op)) {
    check(*binary->left, names);
    check(*binary->right, names);
  } else if (constant == nullptr || constant->kind != python::ConstantKind::kInteger) {
    throw Error("only integers, axes, + - * / // % ** and parentheses can be used");
  }
}

// Of an expression that was checked.
Number value_of(const Expr& expr, const AxisValues& values) {
  if (const auto* constant = std::get_if<python::Constant>(&expr.node)) return constant->integer;
  if (const auto* name = std::get_if<python::Name>(&expr.node)) return values.at(name->id);
  if (const auto* unary = std::get_if<python::Unary>(&expr.node)) {
    const std::int64_t sign = unary->op == python::UnaryOp::kNegate ? -1 : 1;
    return python::binary(BinaryOp::kMult, value_of(*unary->operand, values), sign);
  }
  const auto& binary = std::get<python::Binary>(expr.node);
  return python::binary(binary.op, value_of(*binary.left, values), value_of(*binary.right, values));
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 80;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

std::int64_t size_of(const Number& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) {
    if (*integer < 0) throw Error("it is {}, which is no size", *integer);
    return *integer;
  }
  const double value = std::get<double>(number);
  if (value < 0 || value > kExact || value != std::trunc(value))
    throw Error("it is {}, which is no size", value);
  return static_cast<std::int64_t>(value);
}

// Thousands of workloads ask for the values of the same few expressions: each is parsed once.
const Expr& parsed(const std::string& expression) {
  constexpr std::size_t kMostBytes = 256 * 1024;  // of texts; a tree takes some hundred times as much
  thread_local std::map<std::string, python::ExprPtr> known;
  thread_local std::size_t bytes = 0;
  if (const auto found = known.find(expression); found != known.end()) return *found->second;
  auto tree = python::parse_expression(expression);
  bytes += expression.size();
  if (bytes > kMostBytes) {
    known.clear();
    bytes = expression.size();
  }
  return *known.emplace(expression, std::move(tree)).first->second;
}

}  // namespace

void check_axis_expression(const std::string& expression, const std::set<std::string>& names) {
  try {
    check(*python::parse_expression(expression), names);
  } catch (const std::exception& error) {
    throw Error("expression \"{}\": {}", shortened(expression), error.what());
  }
}

std::int64_t axis_expression_value(const std::string& expression, const AxisValues& values) {
  try {
    return size_of(value_of(parsed(expression), values));
  } catch (const std::exception& error) {
    throw Error("expression \"{}\": {}", shortened(expression), error.what());
  }
}

}  // namespace fib::model
