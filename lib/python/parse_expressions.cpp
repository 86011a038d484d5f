#include <array>

#include "python/parser_impl.h"

// Expressions made of operators, and the comma-separated lists around them.
namespace fib::python {
namespace {

struct BinaryRule {
  std::string_view text;
  BinaryOp op;
  int precedence;
};

constexpr std::array<BinaryRule, 12> kBinaryRules = {{{"|", BinaryOp::kBitOr, 1},
                                                      {"^", BinaryOp::kBitXor, 2},
                                                      {"&", BinaryOp::kBitAnd, 3},
                                                      {"<<", BinaryOp::kLShift, 4},
                                                      {">>", BinaryOp::kRShift, 4},
                                                      {"+", BinaryOp::kAdd, 5},
                                                      {"-", BinaryOp::kSub, 5},
                                                      {"*", BinaryOp::kMult, 6},
                                                      {"/", BinaryOp::kDiv, 6},
                                                      {"//", BinaryOp::kFloorDiv, 6},
                                                      {"%", BinaryOp::kMod, 6},
                                                      {"@", BinaryOp::kMatMult, 6}}};

struct CompareRule {
  std::string_view text;
  CompareOp op;
};

constexpr std::array<CompareRule, 6> kCompareRules = {{{"==", CompareOp::kEq},
                                                       {"!=", CompareOp::kNotEq},
                                                       {"<", CompareOp::kLt},
                                                       {"<=", CompareOp::kLtE},
                                                       {">", CompareOp::kGt},
                                                       {">=", CompareOp::kGtE}}};

struct UnaryRule {
  std::string_view text;
  UnaryOp op;
};

constexpr std::array<UnaryRule, 3> kUnaryRules = {
    {{"-", UnaryOp::kNegate}, {"+", UnaryOp::kPlus}, {"~", UnaryOp::kInvert}}};

}  // namespace

bool Parser::at_expression_end() const {
  if (at_kind(TokenKind::kNewline) || at_kind(TokenKind::kEnd)) return true;
  constexpr std::array<std::string_view, 6> kEnds = {")", "]", "}", "=", ":", ";"};
  if (at_keyword("in")) return true;
  return at_kind(TokenKind::kOperator) &&
         std::find(kEnds.begin(), kEnds.end(), current().text) != kEnds.end();
}

ExprPtr Parser::expressions(Stars stars) {
  const Token first = current();
  const auto element = [&] {
    if (stars == Stars::kForbidden) return expression();
    return at_operator("*") ? star_or_named_expression() : expression();
  };
  ExprPtr expr = element();
  if (!at_operator(",")) return expr;
  Tuple tuple;
  tuple.elements.push_back(std::move(expr));
  while (accept_operator(",") && !at_expression_end()) tuple.elements.push_back(element());
  return make(first, std::move(tuple));
}

ExprPtr Parser::star_or_named_expression() {
  const Token first = current();
  if (!accept_operator("*")) return named_expression();
  return make(first, Starred{binary(1)});
}

ExprPtr Parser::named_expression() {
  const Token first = current();
  if (at_identifier() && ahead(1).kind == TokenKind::kOperator && ahead(1).text == ":=") {
    const Depth depth(*this);
    std::string name = expect_identifier();
    ++at_;
    return make(first, NamedExpr{std::move(name), expression()});
  }
  return expression();
}

ExprPtr Parser::expression() {
  const Depth depth(*this);
  const Token first = current();
  if (at_keyword("lambda")) return lambda();
  ExprPtr body = disjunction();
  if (!accept_keyword("if")) return body;
  Conditional conditional;
  conditional.body = std::move(body);
  conditional.test = disjunction();
  if (!accept_keyword("else")) fail("expected 'else' after 'if' expression");
  conditional.orelse = expression();
  return make(first, std::move(conditional));
}

ExprPtr Parser::lambda() {
  const Token first = current();
  expect_keyword("lambda");
  Lambda lambda;
  lambda.parameters = parameters(":", Annotations::kForbidden);
  expect_operator(":");
  lambda.body = expression();
  return make(first, std::move(lambda));
}

ExprPtr Parser::disjunction() {
  const Token first = current();
  ExprPtr left = conjunction();
  if (!at_keyword("or")) return left;
  BoolOperation operation{BoolOp::kOr, {}};
  operation.values.push_back(std::move(left));
  while (accept_keyword("or")) operation.values.push_back(conjunction());
  return make(first, std::move(operation));
}

ExprPtr Parser::conjunction() {
  const Token first = current();
  ExprPtr left = inversion();
  if (!at_keyword("and")) return left;
  BoolOperation operation{BoolOp::kAnd, {}};
  operation.values.push_back(std::move(left));
  while (accept_keyword("and")) operation.values.push_back(inversion());
  return make(first, std::move(operation));
}

ExprPtr Parser::inversion() {
  const Token first = current();
  if (!accept_keyword("not")) return comparison();
  const Depth depth(*this);
  return make(first, Unary{UnaryOp::kNot, inversion()});
}

std::optional<CompareOp> Parser::compare_operator() {
  for (const CompareRule& rule : kCompareRules) {
    if (accept_operator(rule.text)) return rule.op;
  }
  if (accept_keyword("in")) return CompareOp::kIn;
  if (accept_keyword("is")) return accept_keyword("not") ? CompareOp::kIsNot : CompareOp::kIs;
  if (!at_keyword("not") || ahead(1).text != "in") return std::nullopt;
  at_ += 2;
  return CompareOp::kNotIn;
}

ExprPtr Parser::comparison() {
  const Token first = current();
  ExprPtr left = binary(1);
  Compare compare;
  while (const std::optional<CompareOp> op = compare_operator()) {
    compare.ops.push_back(*op);
    compare.comparators.push_back(binary(1));
  }
  if (compare.ops.empty()) return left;
  compare.left = std::move(left);
  return make(first, std::move(compare));
}

ExprPtr Parser::binary(int min_precedence) {
  const Token first = current();
  ExprPtr left = unary();
  while (at_kind(TokenKind::kOperator)) {
    const std::string_view text = current().text;
    const auto* rule =
        std::find_if(kBinaryRules.begin(), kBinaryRules.end(), [&](const auto& r) { return r.text == text; });
    if (rule == kBinaryRules.end() || rule->precedence < min_precedence) break;
    ++at_;
    ExprPtr right = binary(rule->precedence + 1);
    left = make(first, Binary{rule->op, std::move(left), std::move(right)});
  }
  return left;
}

ExprPtr Parser::unary() {
  const Token first = current();
  for (const UnaryRule& rule : kUnaryRules) {
    if (!accept_operator(rule.text)) continue;
    const Depth depth(*this);
    return make(first, Unary{rule.op, unary()});
  }
  return power();
}

ExprPtr Parser::power() {
  const Token first = current();
  ExprPtr base;
  if (accept_keyword("await")) {
    base = make(first, Await{primary()});
  } else {
    base = primary();
  }
  if (!accept_operator("**")) return base;
  const Depth depth(*this);
  return make(first, Binary{BinaryOp::kPow, std::move(base), unary()});
}

ExprPtr Parser::yield() {
  const Token first = current();
  expect_keyword("yield");
  if (accept_keyword("from")) return make(first, Yield{expression(), true});
  if (at_expression_end()) return make(first, Yield{});
  return make(first, Yield{expressions(Stars::kAllowed), false});
}

}  // namespace fib::python
