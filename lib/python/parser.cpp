#include "python/parser.h"

#include <fmt/format.h>

#include "python/parser_impl.h"

namespace fib::python {

Parser::Depth::Depth(Parser& parser) : parser_(parser) {
  if (parser_.depth_ >= kMaxDepth) parser_.fail("too many nested parentheses");
  ++parser_.depth_;
}

bool Parser::at_operator(std::string_view text) const {
  return at_kind(TokenKind::kOperator) && current().text == text;
}

bool Parser::at_keyword(std::string_view word) const {
  return at_kind(TokenKind::kName) && current().text == word;
}

bool Parser::at_identifier() const { return at_kind(TokenKind::kName) && !is_keyword(current().text); }

bool Parser::accept_operator(std::string_view text) {
  if (!at_operator(text)) return false;
  ++at_;
  return true;
}

bool Parser::accept_keyword(std::string_view word) {
  if (!at_keyword(word)) return false;
  ++at_;
  return true;
}

void Parser::expect_operator(std::string_view text) {
  if (accept_operator(text)) return;
  const bool colon = text == ":" && at_kind(TokenKind::kNewline);
  fail(colon ? "expected ':'" : "invalid syntax");
}

void Parser::expect_keyword(std::string_view word) {
  if (!accept_keyword(word)) fail("invalid syntax");
}

void Parser::expect_newline() {
  if (!at_kind(TokenKind::kNewline)) fail("invalid syntax");
  ++at_;
}

std::string Parser::expect_identifier() {
  if (!at_identifier()) fail("invalid syntax");
  return std::string(tokens_[at_++].text);
}

std::string Parser::dotted_name() {
  std::string name = expect_identifier();
  while (accept_operator(".")) name += "." + expect_identifier();
  return name;
}

void Parser::fail_at(const Token& token, const std::string& message) const {
  const bool indent = token.kind == TokenKind::kIndent && message == "invalid syntax";
  throw SyntaxError(indent ? "unexpected indent" : message, token.line, token.column);
}

void Parser::fail_at(const Expr& expr, const std::string& message) const {
  throw SyntaxError(message, expr.line, expr.column);
}

Module Parser::module() {
  Module module;
  while (!at_kind(TokenKind::kEnd)) statement(module.body);
  return module;
}

ExprPtr Parser::single_expression() {
  if (at_kind(TokenKind::kIndent)) fail("unexpected indent");
  ExprPtr expr = expressions(Stars::kForbidden);
  if (!at_kind(TokenKind::kEnd)) expect_newline();
  if (!at_kind(TokenKind::kEnd)) fail("invalid syntax");
  return expr;
}

Module parse_module(std::string_view source) { return Parser(source).module(); }

ExprPtr parse_expression(std::string_view source) { return Parser(source).single_expression(); }

const FunctionDef* find_function(const Module& module, std::string_view name) {
  const FunctionDef* found = nullptr;
  for (const StmtPtr& stmt : module.body) {
    const auto* function = std::get_if<FunctionDef>(&stmt->node);
    if (function != nullptr && !function->is_async && function->name == name) found = function;
  }
  return found;
}

}  // namespace fib::python
