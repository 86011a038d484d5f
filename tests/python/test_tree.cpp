#include <catch2/catch.hpp>
#include <string>

#include "python/parser.h"

namespace {

using namespace fib::python;  // NOLINT: the tests name most of it

// Writes an expression with every operation in brackets.
std::string show(const ExprPtr& expr);

std::string show_all(const Exprs& list) {
  std::string text;
  for (const ExprPtr& expr : list) text += (text.empty() ? "" : ",") + show(expr);
  return text;
}

std::string show(const ExprPtr& expr) {
  if (!expr) return "";
  if (const auto* n = std::get_if<Constant>(&expr->node))
    return n->kind == ConstantKind::kInteger ? std::to_string(n->integer) : n->text;
  if (const auto* n = std::get_if<Name>(&expr->node)) return n->id;
  if (const auto* n = std::get_if<Attribute>(&expr->node)) return show(n->value) + "." + n->name;
  if (const auto* n = std::get_if<Subscript>(&expr->node)) return show(n->value) + "[" + show(n->index) + "]";
  if (const auto* n = std::get_if<Slice>(&expr->node))
    return show(n->lower) + ":" + show(n->upper) + ":" + show(n->step);
  if (const auto* n = std::get_if<Call>(&expr->node))
    return show(n->function) + "(" + show_all(n->arguments) + ")";
  if (const auto* n = std::get_if<Unary>(&expr->node))
    return "(" + std::string("!~-+").substr(static_cast<std::size_t>(n->op), 1) + show(n->operand) + ")";
  if (const auto* n = std::get_if<Binary>(&expr->node)) {
    const std::vector<std::string> ops = {"+",  "-",  "*",  "@", "/", "//", "%",
                                          "**", "<<", ">>", "&", "|", "^"};
    return "(" + show(n->left) + ops[static_cast<std::size_t>(n->op)] + show(n->right) + ")";
  }
  if (const auto* n = std::get_if<BoolOperation>(&expr->node))
    return (n->op == BoolOp::kAnd ? "and(" : "or(") + show_all(n->values) + ")";
  if (const auto* n = std::get_if<Compare>(&expr->node))
    return "cmp(" + show(n->left) + "," + show_all(n->comparators) + ")";
  if (const auto* n = std::get_if<Conditional>(&expr->node))
    return "if(" + show(n->test) + "," + show(n->body) + "," + show(n->orelse) + ")";
  if (const auto* n = std::get_if<Tuple>(&expr->node)) return "<" + show_all(n->elements) + ">";
  return "?";
}

TEST_CASE("Operators bind as in Python") {
  const auto tree = [](const std::string& source) { return show(parse_expression(source)); };
  CHECK(tree("a + b * c - d") == "((a+(b*c))-d)");
  CHECK(tree("-a ** -b ** c") == "(-(a**(-(b**c))))");
  CHECK(tree("a @ b / c // d % e") == "((((a@b)/c)//d)%e)");
  CHECK(tree("a | b ^ c & d << e + f") == "(a|(b^(c&(d<<(e+f)))))");
  CHECK(tree("a or b and not c == d") == "or(a,and(b,(!cmp(c,d))))");
  CHECK(tree("a < b <= c") == "cmp(a,b,c)");
  CHECK(tree("a if b else c if d else e") == "if(b,a,if(d,c,e))");
  CHECK(tree("~x[1:, ..., None].y(z)") == "(~x[<1::,,>].y(z))");
  CHECK(tree("a, (b, c), ()") == "<a,<b,c>,<>>");
  CHECK(tree("x[a, b]") == "x[<a,b>]");
  CHECK(tree("x[::2]") == "x[::2]");
  CHECK(tree("'a' \"b\"") == "ab");
}

TEST_CASE("Nodes know their lines") {
  const Module module = parse_module("x = 1\n\ny = (a +\n     b.c)\n");
  CHECK(module.body.at(1)->line == 3);
  const auto& assign = std::get<Assign>(module.body.at(1)->node);
  CHECK(assign.value->line == 3);
  CHECK(std::get<Binary>(assign.value->node).right->line == 4);
}

TEST_CASE("Functions keep parameters, defaults and decorators") {
  const Module module = parse_module("@d\ndef f(a, /, b=1, *c, e: int = 2, **g) -> x:\n  pass\n");
  const FunctionDef* function = find_function(module, "f");
  REQUIRE(function != nullptr);
  CHECK(function->decorators.size() == 1);
  REQUIRE(function->parameters.size() == 5);
  CHECK(function->parameters[0].kind == ParameterKind::kPositionalOnly);
  CHECK(function->parameters[1].kind == ParameterKind::kPositional);
  CHECK(show(function->parameters[1].default_value) == "1");
  CHECK(function->parameters[2].kind == ParameterKind::kStarArgs);
  CHECK(function->parameters[3].kind == ParameterKind::kKeywordOnly);
  CHECK(show(function->parameters[3].annotation) == "int");
  CHECK(function->parameters[4].kind == ParameterKind::kStarKwargs);
  CHECK(show(function->returns) == "x");
}

TEST_CASE("Branches of an if statement are kept in order") {
  const Module module = parse_module("if a: pass\nelif b: pass\nelse: pass\nif c: pass\n");
  REQUIRE(module.body.size() == 2);
  const auto& statement = std::get<If>(module.body[0]->node);
  CHECK(statement.branches.size() == 2);
  CHECK(statement.orelse.size() == 1);
}

TEST_CASE("Keyword arguments and spreads") {
  const ExprPtr expr = parse_expression("f(a, *b, c=1, **d)");
  const auto& call = std::get<Call>(expr->node);
  REQUIRE(call.arguments.size() == 2);
  CHECK(std::holds_alternative<Starred>(call.arguments[1]->node));
  REQUIRE(call.keywords.size() == 2);
  CHECK(call.keywords[0].name == "c");
  CHECK(call.keywords[1].name.empty());
}

}  // namespace
