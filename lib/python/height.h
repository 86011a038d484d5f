#pragma once

#include <algorithm>

#include "python/ast.h"

// One more than the highest child of an expression node: what Expr::height is made of.
namespace fib::python {

class HeightOf {
 public:
  int operator()(const Constant&) const { return 1; }
  int operator()(const Name&) const { return 1; }
  int operator()(const Attribute& n) const { return over(n.value); }
  int operator()(const Subscript& n) const { return over(n.value, n.index); }
  int operator()(const Slice& n) const { return over(n.lower, n.upper, n.step); }
  int operator()(const Call& n) const { return std::max(over(n.function, n.arguments), over(n.keywords)); }
  int operator()(const Unary& n) const { return over(n.operand); }
  int operator()(const Binary& n) const { return over(n.left, n.right); }
  int operator()(const BoolOperation& n) const { return over(n.values); }
  int operator()(const Compare& n) const { return over(n.left, n.comparators); }
  int operator()(const Conditional& n) const { return over(n.test, n.body, n.orelse); }
  int operator()(const Tuple& n) const { return over(n.elements); }
  int operator()(const List& n) const { return over(n.elements); }
  int operator()(const Set& n) const { return over(n.elements); }
  int operator()(const Dict& n) const { return over(n.keys, n.values); }
  int operator()(const Comprehension& n) const { return over(n.element, n.value, n.clauses); }
  int operator()(const Lambda& n) const { return over(n.body, n.parameters); }
  int operator()(const Starred& n) const { return over(n.value); }
  int operator()(const NamedExpr& n) const { return over(n.value); }
  int operator()(const Await& n) const { return over(n.value); }
  int operator()(const Yield& n) const { return over(n.value); }

 private:
  static int height(const ExprPtr& child) { return child ? child->height : 0; }
  static int height(const Exprs& children) { return highest(children); }
  static int height(const Keyword& keyword) { return height(keyword.value); }
  static int height(const std::vector<Keyword>& keywords) { return highest(keywords); }
  static int height(const Parameter& p) { return std::max(height(p.annotation), height(p.default_value)); }
  static int height(const std::vector<Parameter>& parameters) { return highest(parameters); }
  static int height(const ComprehensionClause& c) {
    return std::max({height(c.target), height(c.iterable), height(c.conditions)});
  }
  static int height(const std::vector<ComprehensionClause>& clauses) { return highest(clauses); }

  template <typename Children>
  static int highest(const Children& children) {
    int result = 0;
    for (const auto& child : children) result = std::max(result, height(child));
    return result;
  }
  template <typename... Children>
  static int over(const Children&... children) {
    return 1 + std::max({0, height(children)...});
  }
};

template <typename Node>
int height_above(const Node& node) {
  return HeightOf()(node);
}

}  // namespace fib::python
