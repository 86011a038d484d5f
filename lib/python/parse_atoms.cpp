#include <fmt/format.h>

#include "python/literals.h"
#include "python/parser_impl.h"

// Literals, names, displays in brackets and comprehensions.
namespace fib::python {

ExprPtr Parser::atom() {
  const Token first = current();
  switch (first.kind) {
    case TokenKind::kName:
      return name_or_constant();
    case TokenKind::kNumber:
      ++at_;
      return make(first, decode_number(first.text));
    case TokenKind::kString:
      return strings();
    case TokenKind::kOperator:
      break;
    default:
      fail("invalid syntax");
  }
  if (at_operator("(")) return parenthesized();
  if (at_operator("[")) return list_display();
  if (at_operator("{")) return brace_display();
  if (accept_operator("...")) return make(first, Constant{ConstantKind::kEllipsis, 0, 0, {}});
  fail("invalid syntax");
}

ExprPtr Parser::name_or_constant() {
  const Token first = current();
  if (accept_keyword("None")) return make(first, Constant{});
  if (accept_keyword("True")) return make(first, Constant{ConstantKind::kBool, 1, 0, {}});
  if (accept_keyword("False")) return make(first, Constant{ConstantKind::kBool, 0, 0, {}});
  return make(first, Name{expect_identifier()});
}

ExprPtr Parser::strings() {
  const Token first = current();
  Constant whole;
  for (; at_kind(TokenKind::kString); ++at_) {
    Constant part;
    try {
      part = decode_string(current().text);
    } catch (const LiteralError& error) {
      fail(error.message);
    }
    if (whole.kind == ConstantKind::kNone) {
      whole = std::move(part);
      continue;
    }
    const bool mixed = (whole.kind == ConstantKind::kBytes) != (part.kind == ConstantKind::kBytes);
    if (mixed) fail_at(first, "cannot mix bytes and nonbytes literals");
    if (part.kind == ConstantKind::kFString) whole.kind = ConstantKind::kFString;
    whole.text += part.text;
  }
  return make(first, std::move(whole));
}

ExprPtr Parser::parenthesized() {
  const Token open = current();
  expect_operator("(");
  if (accept_operator(")")) return make(open, Tuple{});
  ExprPtr inner;
  if (at_keyword("yield")) {
    inner = yield();
  } else {
    inner = star_or_named_expression();
    if (at_comprehension()) {
      inner = comprehension(open, ComprehensionKind::kGenerator, std::move(inner));
    } else if (at_operator(",")) {
      Tuple tuple;
      tuple.elements.push_back(std::move(inner));
      while (accept_operator(",") && !at_operator(")")) tuple.elements.push_back(star_or_named_expression());
      inner = make(open, std::move(tuple));
    } else if (std::holds_alternative<Starred>(inner->node)) {
      fail_at(*inner, "cannot use starred expression here");
    }
  }
  expect_operator(")");
  inner->parenthesized = true;
  return inner;
}

ExprPtr Parser::list_display() {
  const Token open = current();
  expect_operator("[");
  List list;
  while (!at_operator("]")) {
    list.elements.push_back(star_or_named_expression());
    if (list.elements.size() == 1 && at_comprehension()) {
      ExprPtr expr = comprehension(open, ComprehensionKind::kList, std::move(list.elements.front()));
      expect_operator("]");
      return expr;
    }
    if (!accept_operator(",")) break;
  }
  expect_operator("]");
  return make(open, std::move(list));
}

ExprPtr Parser::brace_display() {
  const Token open = current();
  expect_operator("{");
  if (at_operator("}") || at_operator("**")) return dict_display(open, nullptr);
  ExprPtr element = star_or_named_expression();
  if (at_operator(":")) return dict_display(open, std::move(element));
  if (at_comprehension()) {
    ExprPtr expr = comprehension(open, ComprehensionKind::kSet, std::move(element));
    expect_operator("}");
    return expr;
  }
  Set set;
  set.elements.push_back(std::move(element));
  while (accept_operator(",") && !at_operator("}")) set.elements.push_back(star_or_named_expression());
  expect_operator("}");
  return make(open, std::move(set));
}

ExprPtr Parser::dict_display(const Token& open, ExprPtr first_key) {
  Dict dict;
  while (!at_operator("}")) {
    const bool spread = first_key == nullptr && accept_operator("**");
    ExprPtr key = spread || first_key != nullptr ? std::move(first_key) : expression();
    dict.keys.push_back(std::move(key));
    if (!spread) {
      if (!accept_operator(":")) fail("':' expected after dictionary key");
      if (at_operator("}") || at_operator(",")) fail("expression expected after dictionary key and ':'");
    }
    dict.values.push_back(spread ? binary(1) : expression());
    if (dict.keys.size() == 1 && at_comprehension()) {
      if (spread) fail("dict unpacking cannot be used in dict comprehension");
      ExprPtr expr = comprehension(open, ComprehensionKind::kDict, std::move(dict.keys.front()),
                                   std::move(dict.values.front()));
      expect_operator("}");
      return expr;
    }
    if (!accept_operator(",")) break;
  }
  expect_operator("}");
  return make(open, std::move(dict));
}

bool Parser::at_comprehension() const {
  return at_keyword("for") ||
         (at_keyword("async") && ahead(1).kind == TokenKind::kName && ahead(1).text == "for");
}

ExprPtr Parser::comprehension(const Token& open, ComprehensionKind kind, ExprPtr element, ExprPtr value) {
  if (std::holds_alternative<Starred>(element->node)) {
    fail_at(*element, "iterable unpacking cannot be used in comprehension");
  }
  return make(open, Comprehension{kind, std::move(element), std::move(value), comprehension_clauses()});
}

std::vector<ComprehensionClause> Parser::comprehension_clauses() {
  std::vector<ComprehensionClause> clauses;
  while (at_comprehension()) {
    ComprehensionClause clause;
    clause.is_async = accept_keyword("async");
    expect_keyword("for");
    clause.target = target_list();
    expect_keyword("in");
    clause.iterable = disjunction();
    while (accept_keyword("if")) {
      const Token first = current();
      const bool walrus = at_identifier() && ahead(1).text == ":=";
      if (walrus) fail_at(first, "invalid syntax");
      clause.conditions.push_back(disjunction());
    }
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

ExprPtr Parser::target_list() {
  const Token first = current();
  Tuple tuple;
  bool comma = false;
  do {
    if (at_expression_end()) break;
    tuple.elements.push_back(at_operator("*") ? star_or_named_expression() : binary(1));
    comma = accept_operator(",");
  } while (comma);
  if (tuple.elements.empty()) fail("invalid syntax");
  const bool single = tuple.elements.size() == 1 && !comma;
  ExprPtr target = single ? std::move(tuple.elements.front()) : make(first, std::move(tuple));
  check_target(*target, TargetUse::kFor);
  return target;
}

}  // namespace fib::python
