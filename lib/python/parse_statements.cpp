#include <array>

#include "python/parser_impl.h"

// Statements on one line.
namespace fib::python {
namespace {

struct AugmentedRule {
  std::string_view text;
  BinaryOp op;
};

constexpr std::array<AugmentedRule, 13> kAugmentedRules = {{{"+=", BinaryOp::kAdd},
                                                            {"-=", BinaryOp::kSub},
                                                            {"*=", BinaryOp::kMult},
                                                            {"/=", BinaryOp::kDiv},
                                                            {"//=", BinaryOp::kFloorDiv},
                                                            {"%=", BinaryOp::kMod},
                                                            {"@=", BinaryOp::kMatMult},
                                                            {"**=", BinaryOp::kPow},
                                                            {">>=", BinaryOp::kRShift},
                                                            {"<<=", BinaryOp::kLShift},
                                                            {"&=", BinaryOp::kBitAnd},
                                                            {"|=", BinaryOp::kBitOr},
                                                            {"^=", BinaryOp::kBitXor}}};

}  // namespace

void Parser::statement(Block& block) {
  if (at_kind(TokenKind::kIndent)) fail("unexpected indent");
  if (StmtPtr stmt = compound_statement()) {
    block.push_back(std::move(stmt));
    return;
  }
  simple_statements(block);
}

void Parser::simple_statements(Block& block) {
  do {
    block.push_back(simple_statement());
  } while (accept_operator(";") && !at_kind(TokenKind::kNewline));
  expect_newline();
}

StmtPtr Parser::simple_statement() {
  const Token first = current();
  if (accept_keyword("pass")) return make_stmt(first, Pass{});
  if (accept_keyword("break")) return make_stmt(first, Break{});
  if (accept_keyword("continue")) return make_stmt(first, Continue{});
  if (accept_keyword("return")) {
    return make_stmt(first, Return{at_expression_end() ? nullptr : expressions(Stars::kAllowed)});
  }
  if (at_keyword("import")) return import();
  if (at_keyword("from")) return import_from();
  if (at_keyword("raise")) return raise();
  if (at_keyword("assert")) return assertion();
  if (at_keyword("del")) return deletion();
  if (accept_keyword("global")) return make_stmt(first, Global{name_list()});
  if (accept_keyword("nonlocal")) return make_stmt(first, Nonlocal{name_list()});
  return expression_statement();
}

StmtPtr Parser::expression_statement() {
  const Token first = current();
  ExprPtr expr = at_keyword("yield") ? yield() : expressions(Stars::kAllowed);
  if (at_operator("=")) return assignment(first, std::move(expr));
  if (at_operator(":")) return annotated_assignment(first, std::move(expr));
  for (const AugmentedRule& rule : kAugmentedRules) {
    if (!accept_operator(rule.text)) continue;
    check_augmented_target(*expr);
    ExprPtr value = at_keyword("yield") ? yield() : expressions(Stars::kAllowed);
    return make_stmt(first, AugAssign{std::move(expr), rule.op, std::move(value)});
  }
  return make_stmt(first, ExprStmt{std::move(expr)});
}

StmtPtr Parser::assignment(const Token& first, ExprPtr target) {
  Assign assign;
  assign.value = std::move(target);
  while (accept_operator("=")) {
    check_target(*assign.value, TargetUse::kAssign);
    assign.targets.push_back(std::move(assign.value));
    assign.value = at_keyword("yield") ? yield() : expressions(Stars::kAllowed);
  }
  return make_stmt(first, std::move(assign));
}

StmtPtr Parser::annotated_assignment(const Token& first, ExprPtr target) {
  if (std::holds_alternative<Tuple>(target->node))
    fail_at(*target, "only single target (not tuple) can be annotated");
  if (std::holds_alternative<List>(target->node))
    fail_at(*target, "only single target (not list) can be annotated");
  const bool valid = std::holds_alternative<Name>(target->node) ||
                     std::holds_alternative<Attribute>(target->node) ||
                     std::holds_alternative<Subscript>(target->node);
  if (!valid) fail_at(*target, "illegal target for annotation");
  expect_operator(":");
  AnnAssign assign;
  assign.target = std::move(target);
  assign.annotation = expression();
  if (accept_operator("=")) assign.value = at_keyword("yield") ? yield() : expressions(Stars::kAllowed);
  return make_stmt(first, std::move(assign));
}

StmtPtr Parser::import() {
  const Token first = current();
  expect_keyword("import");
  Import import;
  do {
    Alias alias{dotted_name(), ""};
    if (accept_keyword("as")) alias.as_name = expect_identifier();
    import.names.push_back(std::move(alias));
  } while (accept_operator(","));
  return make_stmt(first, std::move(import));
}

StmtPtr Parser::import_from() {
  const Token first = current();
  expect_keyword("from");
  ImportFrom import;
  while (at_operator(".") || at_operator("...")) {
    import.level += static_cast<int>(current().text.size());
    ++at_;
  }
  if (import.level == 0 || !at_keyword("import")) import.module = dotted_name();
  expect_keyword("import");
  if (accept_operator("*")) {
    import.names.push_back({"*", ""});
    return make_stmt(first, std::move(import));
  }
  const bool bracket = accept_operator("(");
  do {
    if (bracket && !import.names.empty() && at_operator(")")) break;
    if (!bracket && at_kind(TokenKind::kNewline) && !import.names.empty()) {
      fail("trailing comma not allowed without surrounding parentheses");
    }
    Alias alias{expect_identifier(), ""};
    if (accept_keyword("as")) alias.as_name = expect_identifier();
    import.names.push_back(std::move(alias));
  } while (accept_operator(","));
  if (bracket) expect_operator(")");
  return make_stmt(first, std::move(import));
}

StmtPtr Parser::raise() {
  const Token first = current();
  expect_keyword("raise");
  Raise raise;
  if (!at_expression_end()) {
    raise.exception = expression();
    if (accept_keyword("from")) raise.cause = expression();
  }
  return make_stmt(first, std::move(raise));
}

StmtPtr Parser::assertion() {
  const Token first = current();
  expect_keyword("assert");
  Assert assertion;
  assertion.test = expression();
  if (accept_operator(",")) assertion.message = expression();
  return make_stmt(first, std::move(assertion));
}

StmtPtr Parser::deletion() {
  const Token first = current();
  expect_keyword("del");
  Delete deletion;
  do {
    if (at_expression_end() && !deletion.targets.empty()) break;
    deletion.targets.push_back(primary());
    if (!at_operator(",") && !at_expression_end()) fail("invalid syntax");
    check_target(*deletion.targets.back(), TargetUse::kDelete);
  } while (accept_operator(","));
  return make_stmt(first, std::move(deletion));
}

std::vector<std::string> Parser::name_list() {
  std::vector<std::string> names;
  do {
    names.push_back(expect_identifier());
  } while (accept_operator(","));
  return names;
}

}  // namespace fib::python
