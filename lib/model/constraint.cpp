#include "model/constraint.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "python/arithmetic.h"
#include "python/symbols.h"
#include "util/error.h"

namespace fib::model {
namespace {

using KnownNumber = std::optional<std::int64_t>;
using python::BinaryOp;
using python::CompareOp;
using python::Expr;

template <typename Node>
const Node* as(const Expr& expr) {
  return std::get_if<Node>(&expr.node);
}

const std::string* name_of(const Expr& expr) {
  const auto* name = as<python::Name>(expr);
  return name != nullptr ? &name->id : nullptr;
}

KnownNumber combine(BinaryOp op, std::int64_t left, std::int64_t right) {
  try {
    const python::Number result = python::binary(op, left, right);
    const auto* integer = std::get_if<std::int64_t>(&result);
    return integer != nullptr ? KnownNumber(*integer) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<bool> compare(CompareOp op, std::int64_t left, std::int64_t right) {
  const bool compares_numbers = op <= CompareOp::kGtE;
  return compares_numbers ? std::optional(python::compare(op, left, right)) : std::nullopt;
}

class Evaluator {
 public:
  explicit Evaluator(const ConstraintValues& values) : values_(values) {}

  ConstraintJudgement truth(const Expr& expr) const {
    if (const auto* node = as<python::Compare>(expr)) return comparisons(*node);
    if (const auto* node = as<python::BoolOperation>(expr)) return joined(*node);
    return {};
  }

  KnownNumber number(const Expr& expr) const {
    if (const auto* node = as<python::Constant>(expr)) {
      return node->kind == python::ConstantKind::kInteger ? KnownNumber(node->integer) : std::nullopt;
    }
    if (const std::string* name = name_of(expr)) return values_.value(*name);
    if (const auto* node = as<python::Unary>(expr)) return unary(*node);
    if (const auto* node = as<python::Binary>(expr)) {
      const KnownNumber left = number(*node->left);
      const KnownNumber right = number(*node->right);
      return left && right ? combine(node->op, *left, *right) : std::nullopt;
    }
    if (const auto* node = as<python::Subscript>(expr)) return size(*node);
    if (const auto* node = as<python::Call>(expr)) return item(*node);
    return std::nullopt;
  }

 private:
  // a < b < c: broken as soon as one pair is.
  ConstraintJudgement comparisons(const python::Compare& node) const {
    ConstraintVerdict verdict = ConstraintVerdict::holds;
    KnownNumber left = number(*node.left);
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
      const KnownNumber right = number(*node.comparators[i]);
      const auto holds = left && right ? compare(node.ops[i], *left, *right) : std::nullopt;
      if (!holds) verdict = ConstraintVerdict::unknown;
      if (holds == false) {
        return {ConstraintVerdict::broken, fmt::format("{} {} {}", *left, symbol_of(node.ops[i]), *right)};
      }
      left = right;
    }
    return {verdict, ""};
  }

  // The first part that decides alone, else unknown when any part is, else the last.
  ConstraintJudgement joined(const python::BoolOperation& node) const {
    const ConstraintVerdict deciding =
        node.op == python::BoolOp::kAnd ? ConstraintVerdict::broken : ConstraintVerdict::holds;
    ConstraintJudgement result;
    bool unknown = false;
    for (const auto& part : node.values) {
      result = truth(*part);
      if (result.verdict == deciding) return result;
      unknown = unknown || result.verdict == ConstraintVerdict::unknown;
    }
    return unknown ? ConstraintJudgement{} : result;
  }

  KnownNumber unary(const python::Unary& node) const {
    const KnownNumber value = number(*node.operand);
    if (!value || node.op == python::UnaryOp::kPlus) return value;
    return node.op == python::UnaryOp::kNegate ? combine(BinaryOp::kSub, 0, *value) : std::nullopt;
  }

  // tensor.shape[index]
  KnownNumber size(const python::Subscript& node) const {
    const auto* shape = as<python::Attribute>(*node.value);
    if (shape == nullptr || shape->name != "shape") return std::nullopt;
    const std::string* tensor = name_of(*shape->value);
    const KnownNumber index = number(*node.index);
    return tensor != nullptr && index ? values_.size(*tensor, *index) : std::nullopt;
  }

  // tensor[index].item()
  KnownNumber item(const python::Call& node) const {
    const auto* method = as<python::Attribute>(*node.function);
    const bool is_item =
        method != nullptr && method->name == "item" && node.arguments.empty() && node.keywords.empty();
    const auto* element = is_item ? as<python::Subscript>(*method->value) : nullptr;
    if (element == nullptr) return std::nullopt;
    const std::string* tensor = name_of(*element->value);
    const KnownNumber index = number(*element->index);
    return tensor != nullptr && index ? values_.element(*tensor, *index) : std::nullopt;
  }

  const ConstraintValues& values_;
};

void collect(const Expr& expr, std::vector<std::string>& names);

void collect(const python::Exprs& exprs, std::vector<std::string>& names) {
  for (const auto& expr : exprs) collect(*expr, names);
}

void collect(const Expr& expr, std::vector<std::string>& names) {
  if (const std::string* name = name_of(expr)) {
    if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
  } else if (const auto* attribute = as<python::Attribute>(expr)) {
    collect(*attribute->value, names);
  } else if (const auto* subscript = as<python::Subscript>(expr)) {
    collect(*subscript->value, names);
    collect(*subscript->index, names);
  } else if (const auto* unary = as<python::Unary>(expr)) {
    collect(*unary->operand, names);
  } else if (const auto* binary = as<python::Binary>(expr)) {
    collect(*binary->left, names);
    collect(*binary->right, names);
  } else if (const auto* compare = as<python::Compare>(expr)) {
    collect(*compare->left, names);
    collect(compare->comparators, names);
  } else if (const auto* joined = as<python::BoolOperation>(expr)) {
    collect(joined->values, names);
  } else if (const auto* call = as<python::Call>(expr)) {
    if (name_of(*call->function) == nullptr) collect(*call->function, names);
    collect(call->arguments, names);
  }
}

}  // namespace

ConstraintJudgement judge_constraint(const Expr& constraint, const ConstraintValues& values) {
  return Evaluator(values).truth(constraint);
}

std::optional<std::int64_t> number_of(const Expr& expression, const ConstraintValues& values) {
  return Evaluator(values).number(expression);
}

std::vector<std::string> names_in_constraint(const Expr& constraint) {
  std::vector<std::string> names;
  collect(constraint, names);
  return names;
}

}  // namespace fib::model
