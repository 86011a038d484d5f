#include <new>
#include <stdexcept>

#include "python/parser.h"
#include "reference/interpreter_guards.h"
#include "reference/operators.h"

namespace fib::reference {

Value Interpreter::evaluate(const python::Expr& expr) {
  try {
    const DepthGuard depth(*this);
    return std::visit([&](const auto& node) { return eval(node); }, expr.node);
  } catch (const LineError&) {
    throw;
  } catch (const Error& error) {
    throw LineError(expr.line, error.what());
  } catch (const std::bad_alloc&) {
    throw LineError(expr.line, "out of memory");
  } catch (const std::length_error&) {
    throw LineError(expr.line, "out of memory");
  }
}

Value Interpreter::eval(const python::Constant& e) {
  switch (e.kind) {
    case python::ConstantKind::kNone:
      return None{};
    case python::ConstantKind::kBool:
      return e.integer != 0;
    case python::ConstantKind::kInteger:
      return e.integer;
    case python::ConstantKind::kFloat:
      return e.real;
    case python::ConstantKind::kString:
      return e.text;
    case python::ConstantKind::kEllipsis:
      return EllipsisValue{};
    case python::ConstantKind::kFString:
      return format_string(e.text);
    case python::ConstantKind::kBigInteger:
      throw Error("the integer {} does not fit 64 bits", e.text);
    case python::ConstantKind::kImaginary:
      throw not_supported("a complex number");
    case python::ConstantKind::kBytes:
      throw not_supported("a bytes literal");
  }
  return None{};
}

Value Interpreter::eval(const python::Name& e) {
  if (const Value* value = scope_->find(e.id)) return *value;
  // Python's own functions; those of types have a dot in their name, which no name has.
  if (const Builtin* builtin = registry_.find(e.id)) return builtin;
  throw Error("name '{}' is not defined", e.id);
}

Value Interpreter::eval(const python::Attribute& e) { return attribute(evaluate(*e.value), e.name); }
Value Interpreter::eval(const python::Subscript& e) {
  const Value object = evaluate(*e.value);
  return subscript(object, evaluate(*e.index));
}

Value Interpreter::eval(const python::Slice& e) {
  const auto bound = [&](const python::ExprPtr& expr) -> std::optional<std::int64_t> {
    if (!expr) return std::nullopt;
    const Value value = evaluate(*expr);
    return value.is<None>() ? std::nullopt : std::optional(to_index(value));
  };
  return SliceValue{bound(e.lower), bound(e.upper), bound(e.step)};
}

Value Interpreter::eval(const python::Unary& e) {
  return unary_operator(runtime_, e.op, evaluate(*e.operand));
}

Value Interpreter::eval(const python::Binary& e) {
  const Value left = evaluate(*e.left);
  return binary_operator(runtime_, e.op, left, evaluate(*e.right));
}

Value Interpreter::eval(const python::BoolOperation& e) {
  Value value;
  for (const python::ExprPtr& operand : e.values) {
    value = evaluate(*operand);
    if (is_true(value) == (e.op == python::BoolOp::kOr)) return value;
  }
  return value;
}

Value Interpreter::eval(const python::Compare& e) {
  Value left = evaluate(*e.left);
  Value result;
  for (std::size_t i = 0; i < e.ops.size(); ++i) {
    Value right = evaluate(*e.comparators[i]);
    result = compare(runtime_, e.ops[i], left, right);
    if (i + 1 < e.ops.size() && !is_true(result)) return result;
    left = std::move(right);
  }
  return result;
}

Value Interpreter::eval(const python::Conditional& e) {
  return is_true(evaluate(*e.test)) ? evaluate(*e.body) : evaluate(*e.orelse);
}

std::vector<Value> Interpreter::elements(const python::Exprs& exprs) {
  std::vector<Value> items;
  for (const python::ExprPtr& expr : exprs) {
    const auto* starred = std::get_if<python::Starred>(&expr->node);
    if (starred == nullptr) {
      items.push_back(evaluate(*expr));
      continue;
    }
    for (Value& item : items_of(evaluate(*starred->value))) items.push_back(std::move(item));
  }
  return items;
}

Value Interpreter::eval(const python::Tuple& e) { return make_tuple(elements(e.elements)); }
Value Interpreter::eval(const python::List& e) { return make_list(elements(e.elements)); }

Value Interpreter::eval(const python::Dict& e) {
  const Value dict = std::make_shared<DictData>();
  for (std::size_t i = 0; i < e.keys.size(); ++i) {
    if (e.keys[i]) {
      const Value key = evaluate(*e.keys[i]);
      assign_subscript(dict, key, evaluate(*e.values[i]));
      continue;
    }
    const Value other = evaluate(*e.values[i]);
    if (!other.is<DictPtr>()) throw Error("\"**\" needs a dict, not a value of type {}", type_name(other));
    for (const auto& [key, value] : (*other.get<DictPtr>())->items) assign_subscript(dict, key, value);
  }
  return dict;
}

void Interpreter::comprehend(const python::Comprehension& e, std::size_t clause, std::vector<Value>& keys,
                             std::vector<Value>& values) {
  if (clause == e.clauses.size()) {
    keys.push_back(evaluate(*e.element));
    if (e.value) values.push_back(evaluate(*e.value));
    return;
  }
  const python::ComprehensionClause& c = e.clauses[clause];
  if (c.is_async) throw not_supported("an async comprehension");
  for (const Value& item : items_of(evaluate(*c.iterable))) {
    assign(*c.target, item);
    bool wanted = true;
    for (const python::ExprPtr& condition : c.conditions) wanted = wanted && is_true(evaluate(*condition));
    if (wanted) comprehend(e, clause + 1, keys, values);
  }
}

Value Interpreter::eval(const python::Comprehension& e) {
  if (e.kind == python::ComprehensionKind::kSet) throw not_supported("a set");
  std::vector<Value> keys;
  std::vector<Value> values;
  ScopeGuard guard(*this, scope_);
  guard.enter();
  comprehend(e, 0, keys, values);
  if (e.kind != python::ComprehensionKind::kDict) return make_list(std::move(keys));
  const Value dict = std::make_shared<DictData>();
  for (std::size_t i = 0; i < keys.size(); ++i) assign_subscript(dict, keys[i], values[i]);
  return dict;
}

Value Interpreter::eval(const python::Lambda& e) {
  return make_function("<lambda>", e.parameters, nullptr, e.body.get());
}

Value Interpreter::eval(const python::NamedExpr& e) {
  Value value = evaluate(*e.value);
  scope_->set(e.name, value);
  return value;
}

Value Interpreter::eval(const python::Set&) { throw not_supported("a set"); }
Value Interpreter::eval(const python::Starred&) { throw not_supported("this starred expression"); }
Value Interpreter::eval(const python::Await&) { throw not_supported("\"await\""); }
Value Interpreter::eval(const python::Yield&) { throw not_supported("\"yield\""); }

// "{expression}" or "{expression!r}"; a format after ":" is left out of account.
std::string Interpreter::replacement_field(std::string_view field) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < field.size(); ++end) {
    const char c = field[end];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    const bool conversion = c == '!' && end + 1 < field.size() && field[end + 1] != '=';
    if (depth == 0 && (conversion || c == ':')) break;
  }
  std::string_view expression = field.substr(0, end);
  while (!expression.empty() && (expression.front() == ' ' || expression.front() == '\n'))
    expression.remove_prefix(1);
  std::string prefix;
  if (expression.ends_with('=') && !expression.ends_with("==")) {
    prefix = std::string(expression);
    expression.remove_suffix(1);
  }
  format_expressions_.push_back(python::parse_expression(expression));
  return prefix + to_text(evaluate(*format_expressions_.back()));
}

std::string Interpreter::format_string(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool doubled = at + 1 < text.size() && text[at + 1] == c;
    if ((c != '{' && c != '}') || doubled) {
      result.push_back(c);
      if (c == '{' || c == '}') ++at;
      continue;
    }
    std::size_t end = at;
    int depth = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == '{') ++depth;
      if (text[end] == '}' && --depth == 0) break;
    }
    if (c == '}' || end == text.size()) throw Error("an f-string has a bracket without its partner");
    result += replacement_field(std::string_view(text).substr(at + 1, end - at - 1));
    at = end;
  }
  return result;
}

}  // namespace fib::reference
