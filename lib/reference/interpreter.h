#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ops/index.h"
#include "python/ast.h"
#include "reference/arguments.h"
#include "reference/scope.h"
#include "util/error.h"

namespace fib::reference {

// An error of the reference, "line N: ..." for its innermost line.
class LineError : public Error {
 public:
  LineError(int line, const std::string& message) : Error("line {}: {}", line, message) {}
};

// Runs one module once: the evaluator of statements and expressions. Everything it refuses throws LineError.
// Not safe for several threads; the operations it calls use the runtime's.
class Interpreter {
 public:
  // All references must outlive the interpreter. `max_steps` bounds the statements executed; 0 means no
  // bound.
  Interpreter(const Registry& registry, const Runtime& runtime, std::int64_t max_steps)
      : registry_(registry), runtime_(runtime), max_steps_(max_steps) {}

  // Executes the module's statements: imports, constants, function definitions.
  void execute_module(const python::Module& module);

  // The value of a name of the module; null when there is none.
  [[nodiscard]] const Value* global(const std::string& name) const { return globals_.find(name); }

  Value call(const Value& callee, std::vector<Value> arguments, KeywordValues keywords);

 private:
  enum class Flow { kNext, kBreak, kContinue, kReturn };

  // A scope for the duration of a call, kept until the end of the run if a function was defined in it.
  class ScopeGuard;
  class DepthGuard;

  // Statements.
  Flow execute(const python::Block& block);
  Flow execute(const python::Stmt& stmt);
  Flow run(const python::ExprStmt& s);
  Flow run(const python::Assign& s);
  Flow run(const python::AugAssign& s);
  Flow run(const python::AnnAssign& s);
  Flow run(const python::Return& s);
  Flow run(const python::If& s);
  Flow run(const python::For& s);
  Flow run(const python::While& s);
  Flow run(const python::FunctionDef& s);
  Flow run(const python::With& s);
  Flow run(const python::Assert& s);
  Flow run(const python::Import& s);
  Flow run(const python::ImportFrom& s);
  Flow run(const python::Delete& s);
  Flow run(const python::Raise& s);
  Flow run(const python::Pass&) { return Flow::kNext; }
  Flow run(const python::Break&) { return Flow::kBreak; }
  Flow run(const python::Continue&) { return Flow::kContinue; }
  Flow run(const python::ClassDef&);
  Flow run(const python::Try&);
  Flow run(const python::Global&);
  Flow run(const python::Nonlocal&);
  Flow run(const python::Match&);
  Flow loop_body(const python::For& s, const Value& item);
  void check_decorator(const python::Expr& decorator);

  // Assignment.
  void assign(const python::Expr& target, const Value& value);
  void assign_attribute(const python::Attribute& target);
  void assign_items(const python::Exprs& targets, const Value& value);
  void assign_subscript(const Value& object, const Value& index, const Value& value);
  Value subscript(const Value& object, const Value& index);
  ops::Index to_tensor_index(const Value& index);
  ops::IndexPart to_index_part(const Value& value);

  // Expressions.
  Value evaluate(const python::Expr& expr);
  Value eval(const python::Constant& e);
  Value eval(const python::Name& e);
  Value eval(const python::Attribute& e);
  Value eval(const python::Subscript& e);
  Value eval(const python::Slice& e);
  Value eval(const python::Call& e);
  Value eval(const python::Unary& e);
  Value eval(const python::Binary& e);
  Value eval(const python::BoolOperation& e);
  Value eval(const python::Compare& e);
  Value eval(const python::Conditional& e);
  Value eval(const python::Tuple& e);
  Value eval(const python::List& e);
  Value eval(const python::Dict& e);
  Value eval(const python::Comprehension& e);
  Value eval(const python::Lambda& e);
  Value eval(const python::NamedExpr& e);
  Value eval(const python::Set& e);
  Value eval(const python::Starred& e);
  Value eval(const python::Await& e);
  Value eval(const python::Yield& e);
  std::vector<Value> elements(const python::Exprs& exprs);
  void comprehend(const python::Comprehension& e, std::size_t clause, std::vector<Value>& keys,
                  std::vector<Value>& values);
  std::string format_string(const std::string& text);
  std::string replacement_field(std::string_view field);

  // Attributes and modules.
  Value attribute(const Value& object, const std::string& name);
  Value tensor_attribute(const Tensor& tensor, const std::string& name);
  Value module_attribute(const std::string& path, const std::string& name);
  void import_module(const std::string& path, const std::string& as_name);

  // Calls.
  Value call_builtin(const Builtin& builtin, std::vector<Value> arguments, KeywordValues keywords);
  Value call_function(const FunctionData& function, std::vector<Value> arguments, KeywordValues keywords);
  void bind(const FunctionData& function, std::vector<Value> arguments, KeywordValues keywords, Scope& scope);
  FunctionPtr make_function(std::string name, const std::vector<python::Parameter>& parameters,
                            const python::Block* body, const python::Expr* expression);
  KeywordValues keyword_values(const std::vector<python::Keyword>& keywords);

  const Registry& registry_;
  const Runtime& runtime_;
  const std::int64_t max_steps_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
  Scope globals_{nullptr};
  Scope* scope_ = &globals_;
  Value returned_;
  std::vector<std::unique_ptr<Scope>> captured_;     // scopes of calls that functions refer to
  std::vector<python::ExprPtr> format_expressions_;  // parsed from f-strings
};

// "X is not supported by the native reference engine".
[[nodiscard]] inline Error not_supported(const std::string& what) {
  return Error("{} is not supported by the native reference engine", what);
}

}  // namespace fib::reference
