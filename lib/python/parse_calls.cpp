#include <fmt/format.h>

#include "python/parser_impl.h"

// What follows a primary (calls, subscripts, attributes), and parameter lists.
namespace fib::python {

ExprPtr Parser::primary() {
  const Token first = current();
  ExprPtr expr = atom();
  for (;;) {
    if (at_operator("(")) {
      expr = call(std::move(expr));
    } else if (at_operator("[")) {
      expr = subscript(std::move(expr));
    } else if (accept_operator(".")) {
      std::string name = expect_identifier();
      expr = make(first, Attribute{std::move(expr), std::move(name)});
    } else {
      return expr;
    }
  }
}

ExprPtr Parser::call(ExprPtr function) {
  const Token open = current();
  expect_operator("(");
  Call call;
  call.function = std::move(function);
  while (!at_operator(")")) {
    call_argument(call);
    if (!accept_operator(",")) break;
  }
  expect_operator(")");
  return make(open, std::move(call));
}

void Parser::call_argument(Call& call) {
  const Token first = current();
  if (accept_operator("**")) {
    call.keywords.push_back({"", expression()});
    return;
  }
  if (at_identifier() && ahead(1).kind == TokenKind::kOperator && ahead(1).text == "=") {
    std::string name = expect_identifier();
    ++at_;
    if (at_operator(",") || at_operator(")")) fail("expected argument value expression");
    call.keywords.push_back({std::move(name), expression()});
    return;
  }
  if (accept_operator("*")) {
    call.arguments.push_back(make(first, Starred{expression()}));
    return;
  }
  ExprPtr value = named_expression();
  if (at_operator("=")) fail_at(first, "expression cannot contain assignment, perhaps you meant \"==\"?");
  if (at_comprehension()) {
    value = comprehension(first, ComprehensionKind::kGenerator, std::move(value));
    const bool alone = call.arguments.empty() && call.keywords.empty() && at_operator(")");
    if (!alone) fail_at(first, "Generator expression must be parenthesized");
  }
  if (!call.keywords.empty()) {
    const bool unpacking = call.keywords.back().name.empty();
    fail_at(first,
            fmt::format("positional argument follows keyword argument{}", unpacking ? " unpacking" : ""));
  }
  call.arguments.push_back(std::move(value));
}

ExprPtr Parser::subscript(ExprPtr value) {
  const Token open = current();
  expect_operator("[");
  ExprPtr index = slice();
  if (at_operator(",")) {
    Tuple tuple;
    tuple.elements.push_back(std::move(index));
    while (accept_operator(",") && !at_operator("]")) tuple.elements.push_back(slice());
    index = make(open, std::move(tuple));
  } else if (std::holds_alternative<Starred>(index->node)) {
    Tuple tuple;
    tuple.elements.push_back(std::move(index));
    index = make(open, std::move(tuple));
  }
  expect_operator("]");
  return make(open, Subscript{std::move(value), std::move(index)});
}

ExprPtr Parser::slice() {
  const Token first = current();
  const auto ends = [&] { return at_operator("]") || at_operator(",") || at_operator(":"); };
  ExprPtr lower;
  if (!at_operator(":")) {
    lower = star_or_named_expression();
    if (!at_operator(":")) return lower;
  }
  expect_operator(":");
  Slice slice;
  slice.lower = std::move(lower);
  if (!ends()) slice.upper = expression();
  if (accept_operator(":") && !ends()) slice.step = expression();
  return make(first, std::move(slice));
}

void Parser::check_order(const std::vector<Parameter>& parameters, const Parameter& next) const {
  if (parameters.empty()) return;
  const Parameter& last = parameters.back();
  if (last.kind == ParameterKind::kStarKwargs) fail("arguments cannot follow var-keyword argument");
  const bool positional = next.kind == ParameterKind::kPositional && last.kind <= ParameterKind::kPositional;
  if (positional && last.default_value && !next.default_value)
    fail("non-default argument follows default argument");
}

// Reads "/" or a bare "*", which stand between parameters.
bool Parser::parameter_separator(std::vector<Parameter>& parameters, ParameterState& state,
                                 std::string_view close) {
  if (at_operator("/")) {
    if (parameters.empty()) fail("at least one argument must precede /");
    if (state.slash) fail("/ may appear only once");
    if (state.star) fail("/ must be ahead of *");
    state.slash = true;
    for (Parameter& parameter : parameters) parameter.kind = ParameterKind::kPositionalOnly;
    ++at_;
    return true;
  }
  if (!at_operator("*")) return false;
  if (state.star) fail("* argument may appear only once");
  state.star = true;
  const Token& next = ahead(1);
  const bool closes = next.text == close && next.kind == TokenKind::kOperator;
  state.named_must_follow = closes || next.text == ",";
  if (state.named_must_follow) ++at_;
  return state.named_must_follow;
}

Parameter Parser::parameter(ParameterState& state, Annotations annotations) {
  Parameter parameter;
  if (accept_operator("*")) {
    parameter.kind = ParameterKind::kStarArgs;
  } else if (accept_operator("**")) {
    if (state.named_must_follow) fail("named arguments must follow bare *");
    parameter.kind = ParameterKind::kStarKwargs;
  } else if (state.star) {
    parameter.kind = ParameterKind::kKeywordOnly;
  }
  state.named_must_follow = false;
  parameter.name = expect_identifier();
  const bool star = parameter.kind == ParameterKind::kStarArgs;
  if (annotations == Annotations::kAllowed && accept_operator(":")) {
    parameter.annotation = star ? star_or_named_expression() : expression();
  }
  if (!at_operator("=")) return parameter;
  if (star) fail("var-positional argument cannot have default value");
  if (parameter.kind == ParameterKind::kStarKwargs) fail("var-keyword argument cannot have default value");
  ++at_;
  parameter.default_value = expression();
  return parameter;
}

std::vector<Parameter> Parser::parameters(std::string_view close, Annotations annotations) {
  std::vector<Parameter> result;
  ParameterState state;
  while (!at_operator(close)) {
    if (!parameter_separator(result, state, close)) {
      Parameter next = parameter(state, annotations);
      check_order(result, next);
      result.push_back(std::move(next));
    }
    if (!accept_operator(",")) break;
  }
  if (state.named_must_follow) fail("named arguments must follow bare *");
  return result;
}

}  // namespace fib::python
