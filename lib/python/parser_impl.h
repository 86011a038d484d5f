#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/ast.h"
#include "python/height.h"
#include "python/lexer.h"

namespace fib::python {

// Recursive descent over the tokens of one source. Internal to the module: parser.h is the public face.
// Members are spread over parse_tokens, parse_expressions, parse_atoms, parse_calls, parse_statements,
// parse_compound and targets.
class Parser {
 public:
  explicit Parser(std::string_view source) : source_(source), tokens_(tokenize(source)) {}

  Module module();
  ExprPtr single_expression();

 private:
  // Counts one level of recursion for its lifetime.
  class Depth {
   public:
    explicit Depth(Parser& parser);
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  // Tokens.
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& ahead(std::size_t n) const {
    return tokens_[std::min(at_ + n, tokens_.size() - 1)];
  }
  [[nodiscard]] bool at_kind(TokenKind kind) const { return current().kind == kind; }
  [[nodiscard]] bool at_operator(std::string_view text) const;
  [[nodiscard]] bool at_keyword(std::string_view word) const;
  [[nodiscard]] bool at_identifier() const;
  bool accept_operator(std::string_view text);
  bool accept_keyword(std::string_view word);
  void expect_operator(std::string_view text);
  void expect_keyword(std::string_view word);
  void expect_newline();
  std::string expect_identifier();
  std::string dotted_name();
  [[noreturn]] void fail(const std::string& message) const { fail_at(current(), message); }
  [[noreturn]] void fail_at(const Token& token, const std::string& message) const;
  [[noreturn]] void fail_at(const Expr& expr, const std::string& message) const;

  template <typename Node>
  ExprPtr make(const Token& token, Node node) {
    auto expr = std::make_unique<Expr>();
    expr->line = token.line;
    expr->column = token.column;
    expr->height = height_above(node);
    expr->node = std::move(node);
    if (expr->height > kMaxHeight) fail_at(token, "expression is nested too deeply");
    return expr;
  }
  template <typename Node>
  StmtPtr make_stmt(const Token& token, Node node) {
    return std::make_unique<Stmt>(Stmt{std::move(node), token.line});
  }
  [[nodiscard]] std::size_t offset(const Token& token) const {
    return static_cast<std::size_t>(token.text.data() - source_.data());
  }

  // Expressions, from the loosest to the tightest.
  enum class Stars { kForbidden, kAllowed };
  ExprPtr expressions(Stars stars);  // with commas: a Tuple
  ExprPtr star_or_named_expression();
  ExprPtr named_expression();
  ExprPtr expression();
  ExprPtr lambda();
  ExprPtr disjunction();
  ExprPtr conjunction();
  ExprPtr inversion();
  ExprPtr comparison();
  std::optional<CompareOp> compare_operator();
  ExprPtr binary(int min_precedence);
  ExprPtr unary();
  ExprPtr power();
  ExprPtr primary();
  ExprPtr atom();
  ExprPtr name_or_constant();
  ExprPtr strings();
  ExprPtr parenthesized();
  ExprPtr list_display();
  ExprPtr brace_display();
  ExprPtr dict_display(const Token& open, ExprPtr first_key);
  ExprPtr yield();
  ExprPtr call(ExprPtr function);
  void call_argument(Call& call);
  ExprPtr subscript(ExprPtr value);
  ExprPtr slice();
  std::vector<ComprehensionClause> comprehension_clauses();
  ExprPtr comprehension(const Token& open, ComprehensionKind kind, ExprPtr element, ExprPtr value = nullptr);
  [[nodiscard]] bool at_comprehension() const;
  [[nodiscard]] bool at_expression_end() const;
  ExprPtr target_list();

  // Parameters of `def` (annotations allowed) and `lambda`.
  enum class Annotations { kForbidden, kAllowed };
  struct ParameterState {
    bool slash = false;
    bool star = false;
    bool named_must_follow = false;  // after a bare *
  };
  std::vector<Parameter> parameters(std::string_view close, Annotations annotations);
  bool parameter_separator(std::vector<Parameter>& parameters, ParameterState& state, std::string_view close);
  Parameter parameter(ParameterState& state, Annotations annotations);
  void check_order(const std::vector<Parameter>& parameters, const Parameter& next) const;

  // Assignment targets, with CPython's words for what cannot be one.
  enum class TargetUse { kAssign, kDelete, kFor };
  void check_target(const Expr& target, TargetUse use) const;
  void check_augmented_target(const Expr& target) const;

  // Statements.
  void statement(Block& block);
  void simple_statements(Block& block);
  StmtPtr simple_statement();
  StmtPtr expression_statement();
  StmtPtr assignment(const Token& first, ExprPtr target);
  StmtPtr annotated_assignment(const Token& first, ExprPtr target);
  StmtPtr import();
  StmtPtr import_from();
  StmtPtr raise();
  StmtPtr assertion();
  StmtPtr deletion();
  std::vector<std::string> name_list();
  StmtPtr compound_statement();  // null when the current token starts none
  StmtPtr if_statement();
  StmtPtr for_statement(bool is_async);
  StmtPtr while_statement();
  StmtPtr with_statement(bool is_async);
  bool parenthesized_with_items(With& with);
  bool at_match_statement() const;
  WithItem with_item();
  StmtPtr try_statement();
  StmtPtr function(Exprs decorators, bool is_async);
  StmtPtr class_definition(Exprs decorators);
  StmtPtr decorated();
  StmtPtr async_statement();
  StmtPtr match_statement();
  void skip_pattern();
  Block block(const std::string& owner, int line);
  Block optional_else();

  static constexpr int kMaxDepth = 400;
  static constexpr int kMaxHeight = 1000;

  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace fib::python
