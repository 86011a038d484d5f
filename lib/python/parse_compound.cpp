#include <fmt/format.h>

#include "python/parser_impl.h"

// Statements with blocks.
namespace fib::python {

StmtPtr Parser::compound_statement() {
  if (at_operator("@")) return decorated();
  if (!at_kind(TokenKind::kName)) return nullptr;
  if (at_keyword("if")) return if_statement();
  if (at_keyword("for")) return for_statement(false);
  if (at_keyword("while")) return while_statement();
  if (at_keyword("with")) return with_statement(false);
  if (at_keyword("try")) return try_statement();
  if (at_keyword("def")) return function({}, false);
  if (at_keyword("class")) return class_definition({});
  if (at_keyword("async")) return async_statement();
  if (at_match_statement()) return match_statement();
  return nullptr;
}

Block Parser::block(const std::string& owner, int line) {
  expect_operator(":");
  Block block;
  if (!at_kind(TokenKind::kNewline)) {
    simple_statements(block);
    return block;
  }
  ++at_;
  if (!at_kind(TokenKind::kIndent))
    fail(fmt::format("expected an indented block after {} on line {}", owner, line));
  ++at_;
  while (!at_kind(TokenKind::kDedent)) statement(block);
  ++at_;
  return block;
}

Block Parser::optional_else() {
  const Token first = current();
  return accept_keyword("else") ? block("'else' statement", first.line) : Block{};
}

StmtPtr Parser::if_statement() {
  const Token first = current();
  If statement;
  while (at_keyword("if") || (!statement.branches.empty() && at_keyword("elif"))) {
    if (!statement.branches.empty() && at_keyword("if")) break;
    const Token start = current();
    ++at_;
    IfBranch branch;
    branch.test = named_expression();
    if (at_operator("=")) {
      const bool name = std::holds_alternative<Name>(branch.test->node);
      if (name) fail_at(*branch.test, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
      check_target(*branch.test, TargetUse::kAssign);
    }
    branch.body = block(fmt::format("'{}' statement", start.text), start.line);
    statement.branches.push_back(std::move(branch));
  }
  statement.orelse = optional_else();
  return make_stmt(first, std::move(statement));
}

StmtPtr Parser::for_statement(bool is_async) {
  const Token first = current();
  expect_keyword("for");
  For loop;
  loop.is_async = is_async;
  loop.target = target_list();
  expect_keyword("in");
  loop.iterable = expressions(Stars::kAllowed);
  loop.body = block("'for' statement", first.line);
  loop.orelse = optional_else();
  return make_stmt(first, std::move(loop));
}

StmtPtr Parser::while_statement() {
  const Token first = current();
  expect_keyword("while");
  While loop;
  loop.test = named_expression();
  loop.body = block("'while' statement", first.line);
  loop.orelse = optional_else();
  return make_stmt(first, std::move(loop));
}

WithItem Parser::with_item() {
  WithItem item;
  item.context = expression();
  if (accept_keyword("as")) {
    item.target = at_operator("*") ? star_or_named_expression() : primary();
    check_target(*item.target, TargetUse::kFor);
  }
  return item;
}

// "with (a as b, c as d):", told from "with (a, b):" and "with (a).b:" by an "as" inside the brackets.
bool Parser::parenthesized_with_items(With& with) {
  if (!at_operator("(")) return false;
  int depth = 0;
  bool as = false;
  std::size_t end = at_;
  for (;; ++end) {
    const std::string_view text = tokens_[end].text;
    const bool bracket = tokens_[end].kind == TokenKind::kOperator;
    if (bracket && (text == "(" || text == "[" || text == "{")) ++depth;
    if (bracket && (text == ")" || text == "]" || text == "}") && --depth == 0) break;
    as |= depth == 1 && tokens_[end].kind == TokenKind::kName && text == "as";
  }
  if (!as || tokens_[end + 1].text != ":") return false;
  ++at_;
  do {
    if (at_operator(")")) break;
    with.items.push_back(with_item());
  } while (accept_operator(","));
  expect_operator(")");
  return true;
}

StmtPtr Parser::with_statement(bool is_async) {
  const Token first = current();
  expect_keyword("with");
  With with;
  with.is_async = is_async;
  if (!parenthesized_with_items(with)) {
    do {
      with.items.push_back(with_item());
    } while (accept_operator(","));
  }
  with.body = block("'with' statement", first.line);
  return make_stmt(first, std::move(with));
}

StmtPtr Parser::try_statement() {
  const Token first = current();
  expect_keyword("try");
  Try statement;
  statement.body = block("'try' statement", first.line);
  while (at_keyword("except")) {
    const Token start = current();
    ++at_;
    ExceptHandler handler;
    const bool star = accept_operator("*");
    if (star || !at_operator(":")) {
      if (star && at_operator(":")) fail("expected one or more exception types");
      handler.type = expression();
      if (at_operator(",")) fail("multiple exception types must be parenthesized");
      if (accept_keyword("as")) handler.name = expect_identifier();
    }
    handler.body = block(star ? "'except*' statement" : "'except' statement", start.line);
    statement.handlers.push_back(std::move(handler));
  }
  if (!statement.handlers.empty()) statement.orelse = optional_else();
  const Token start = current();
  if (accept_keyword("finally")) {
    statement.finally = block("'finally' statement", start.line);
  } else if (statement.handlers.empty()) {
    fail("expected 'except' or 'finally' block");
  }
  return make_stmt(first, std::move(statement));
}

StmtPtr Parser::function(Exprs decorators, bool is_async) {
  const Token first = current();
  expect_keyword("def");
  FunctionDef function;
  function.is_async = is_async;
  function.decorators = std::move(decorators);
  function.name = expect_identifier();
  if (!accept_operator("(")) fail("expected '('");
  function.parameters = parameters(")", Annotations::kAllowed);
  expect_operator(")");
  if (accept_operator("->")) function.returns = expressions(Stars::kForbidden);
  if (!at_operator(":")) fail("expected ':'");
  function.body = block("function definition", first.line);
  return make_stmt(first, std::move(function));
}

StmtPtr Parser::class_definition(Exprs decorators) {
  const Token first = current();
  expect_keyword("class");
  ClassDef definition;
  definition.decorators = std::move(decorators);
  definition.name = expect_identifier();
  if (accept_operator("(")) {
    Call arguments;
    while (!at_operator(")")) {
      call_argument(arguments);
      if (!accept_operator(",")) break;
    }
    expect_operator(")");
    definition.bases = std::move(arguments.arguments);
    definition.keywords = std::move(arguments.keywords);
  }
  if (!at_operator(":")) fail("expected ':'");
  definition.body = block("class definition", first.line);
  return make_stmt(first, std::move(definition));
}

StmtPtr Parser::decorated() {
  Exprs decorators;
  while (accept_operator("@")) {
    decorators.push_back(named_expression());
    expect_newline();
  }
  if (at_keyword("def")) return function(std::move(decorators), false);
  if (at_keyword("class")) return class_definition(std::move(decorators));
  expect_keyword("async");
  return function(std::move(decorators), true);
}

StmtPtr Parser::async_statement() {
  expect_keyword("async");
  if (at_keyword("def")) return function({}, true);
  if (at_keyword("for")) return for_statement(true);
  if (at_keyword("with")) return with_statement(true);
  fail("invalid syntax");
}

// "match" is a name unless its line ends with ":" and an indented "case" follows.
bool Parser::at_match_statement() const {
  if (!at_keyword("match")) return false;
  std::size_t end = at_;
  while (tokens_[end].kind != TokenKind::kNewline && tokens_[end].kind != TokenKind::kEnd) ++end;
  if (end < at_ + 2 || end + 2 >= tokens_.size() || tokens_[end - 1].text != ":") return false;
  return tokens_[end + 1].kind == TokenKind::kIndent && tokens_[end + 2].text == "case";
}

StmtPtr Parser::match_statement() {
  const Token first = current();
  expect_keyword("match");
  Match match;
  match.subject = star_or_named_expression();
  if (at_operator(",")) {
    Tuple tuple;
    tuple.elements.push_back(std::move(match.subject));
    while (accept_operator(",") && !at_operator(":")) tuple.elements.push_back(star_or_named_expression());
    match.subject = make(first, std::move(tuple));
  }
  expect_operator(":");
  expect_newline();
  ++at_;  // the indent seen by at_match_statement
  while (!at_kind(TokenKind::kDedent)) {
    const Token start = current();
    expect_keyword("case");
    skip_pattern();
    match.cases.push_back(block("'case' statement", start.line));
  }
  ++at_;
  return make_stmt(first, std::move(match));
}

void Parser::skip_pattern() {
  const Token first = current();
  int depth = 0;
  while (!at_kind(TokenKind::kNewline) && !at_kind(TokenKind::kEnd)) {
    if (depth == 0 && (at_operator(":") || at_keyword("if"))) break;
    if (at_operator("(") || at_operator("[") || at_operator("{")) ++depth;
    if (at_operator(")") || at_operator("]") || at_operator("}")) --depth;
    ++at_;
  }
  if (offset(first) == offset(current())) fail("invalid syntax");
  if (accept_keyword("if")) named_expression();
}

}  // namespace fib::python
