#include <fmt/format.h>

#include <string_view>

#include "python/parser_impl.h"

// What may stand left of "=", and what CPython calls the things that may not.
namespace fib::python {
namespace {

std::string_view name_of_constant(const Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kNone:
      return "None";
    case ConstantKind::kBool:
      return constant.integer != 0 ? "True" : "False";
    case ConstantKind::kEllipsis:
      return "ellipsis";
    case ConstantKind::kFString:
      return "f-string expression";
    default:
      return "literal";
  }
}

struct NameOfNode {
  std::string_view operator()(const Constant& c) const { return name_of_constant(c); }
  std::string_view operator()(const Name&) const { return "name"; }
  std::string_view operator()(const Attribute&) const { return "attribute"; }
  std::string_view operator()(const Subscript&) const { return "subscript"; }
  std::string_view operator()(const Slice&) const { return "slice"; }
  std::string_view operator()(const Call&) const { return "function call"; }
  std::string_view operator()(const Unary&) const { return "expression"; }
  std::string_view operator()(const Binary&) const { return "expression"; }
  std::string_view operator()(const BoolOperation&) const { return "expression"; }
  std::string_view operator()(const Compare&) const { return "comparison"; }
  std::string_view operator()(const Conditional&) const { return "conditional expression"; }
  std::string_view operator()(const Tuple&) const { return "tuple"; }
  std::string_view operator()(const List&) const { return "list"; }
  std::string_view operator()(const Set&) const { return "set display"; }
  std::string_view operator()(const Dict&) const { return "dict literal"; }
  std::string_view operator()(const Comprehension& c) const {
    switch (c.kind) {
      case ComprehensionKind::kList:
        return "list comprehension";
      case ComprehensionKind::kSet:
        return "set comprehension";
      case ComprehensionKind::kDict:
        return "dict comprehension";
      case ComprehensionKind::kGenerator:
        return "generator expression";
    }
    return "expression";
  }
  std::string_view operator()(const Lambda&) const { return "lambda"; }
  std::string_view operator()(const Starred&) const { return "starred"; }
  std::string_view operator()(const NamedExpr&) const { return "named expression"; }
  std::string_view operator()(const Await&) const { return "await expression"; }
  std::string_view operator()(const Yield&) const { return "yield expression"; }
};

// CPython adds a hint where a comparison may have been meant.
bool deserves_hint(const Expr& expr) {
  if (std::holds_alternative<Call>(expr.node) || std::holds_alternative<Unary>(expr.node) ||
      std::holds_alternative<Binary>(expr.node) || std::holds_alternative<Dict>(expr.node) ||
      std::holds_alternative<Set>(expr.node)) {
    return true;
  }
  const auto* constant = std::get_if<Constant>(&expr.node);
  return constant != nullptr && constant->kind != ConstantKind::kNone &&
         constant->kind != ConstantKind::kBool;
}

bool is_single_target(const Expr& expr) {
  return std::holds_alternative<Name>(expr.node) || std::holds_alternative<Attribute>(expr.node) ||
         std::holds_alternative<Subscript>(expr.node);
}

const Exprs* elements_of(const Expr& expr) {
  if (const auto* tuple = std::get_if<Tuple>(&expr.node)) return &tuple->elements;
  if (const auto* list = std::get_if<List>(&expr.node)) return &list->elements;
  return nullptr;
}

}  // namespace

void Parser::check_target(const Expr& target, TargetUse use) const {
  if (is_single_target(target)) return;
  const auto* starred = std::get_if<Starred>(&target.node);
  if (starred != nullptr && use != TargetUse::kDelete) return check_target(*starred->value, use);
  if (const Exprs* elements = elements_of(target)) {
    // Nested targets get no hint, as a for loop's get none.
    const TargetUse inner = use == TargetUse::kAssign ? TargetUse::kFor : use;
    for (const ExprPtr& element : *elements) check_target(*element, inner);
    return;
  }
  const std::string_view name = std::visit(NameOfNode{}, target.node);
  if (use == TargetUse::kDelete) fail_at(target, fmt::format("cannot delete {}", name));
  const bool hint = use == TargetUse::kAssign && deserves_hint(target);
  fail_at(target, fmt::format("cannot assign to {}{}", name,
                              hint ? " here. Maybe you meant '==' instead of '='?" : ""));
}

void Parser::check_augmented_target(const Expr& target) const {
  if (is_single_target(target)) return;
  const std::string_view name = std::visit(NameOfNode{}, target.node);
  fail_at(target, fmt::format("'{}' is an illegal expression for augmented assignment", name));
}

}  // namespace fib::python
