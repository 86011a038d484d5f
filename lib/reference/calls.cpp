#include <algorithm>

#include "reference/interpreter_guards.h"

namespace fib::reference {

KeywordValues Interpreter::keyword_values(const std::vector<python::Keyword>& keywords) {
  KeywordValues values;
  for (const python::Keyword& keyword : keywords) {
    Value value = evaluate(*keyword.value);
    if (!keyword.name.empty()) {
      values.emplace_back(keyword.name, std::move(value));
      continue;
    }
    const auto* dict = value.get<DictPtr>();
    if (dict == nullptr) throw Error("\"**\" needs a dict, not a value of type {}", type_name(value));
    for (const auto& [key, item] : (*dict)->items) values.emplace_back(to_text(key), item);
  }
  return values;
}

Value Interpreter::eval(const python::Call& e) {
  const Value callee = evaluate(*e.function);
  std::vector<Value> arguments = elements(e.arguments);
  return call(callee, std::move(arguments), keyword_values(e.keywords));
}

Value Interpreter::call(const Value& callee, std::vector<Value> arguments, KeywordValues keywords) {
  if (const auto* function = callee.get<FunctionPtr>()) {
    return call_function(**function, std::move(arguments), std::move(keywords));
  }
  if (const auto* builtin = callee.get<const Builtin*>()) {
    return call_builtin(**builtin, std::move(arguments), std::move(keywords));
  }
  const auto* method = callee.get<MethodPtr>();
  if (method == nullptr) throw Error("a value of type {} cannot be called", type_name(callee));
  arguments.insert(arguments.begin(), (*method)->self);
  return call_builtin(*(*method)->builtin, std::move(arguments), std::move(keywords));
}

Value Interpreter::call_builtin(const Builtin& builtin, std::vector<Value> arguments,
                                KeywordValues keywords) {
  return builtin.function(runtime_, Arguments(builtin, std::move(arguments), std::move(keywords)));
}

FunctionPtr Interpreter::make_function(std::string name, const std::vector<python::Parameter>& parameters,
                                       const python::Block* body, const python::Expr* expression) {
  FunctionData function;
  function.name = std::move(name);
  function.parameters = &parameters;
  function.body = body;
  function.expression = expression;
  function.closure = scope_;
  for (const python::Parameter& parameter : parameters) {
    if (parameter.default_value) function.defaults.push_back(evaluate(*parameter.default_value));
  }
  scope_->capture();
  return std::make_shared<const FunctionData>(std::move(function));
}

void Interpreter::bind(const FunctionData& function, std::vector<Value> arguments, KeywordValues keywords,
                       Scope& scope) {
  std::size_t next = 0;
  std::size_t next_default = 0;
  for (const python::Parameter& parameter : *function.parameters) {
    const Value* otherwise = parameter.default_value ? &function.defaults[next_default++] : nullptr;
    if (parameter.kind == python::ParameterKind::kStarArgs) {
      const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(std::min(next, arguments.size()));
      scope.set(parameter.name, make_tuple({first, arguments.end()}));
      next = arguments.size();
      continue;
    }
    if (parameter.kind == python::ParameterKind::kStarKwargs) {
      const auto dict = std::make_shared<DictData>();
      for (auto& [name, value] : keywords) dict->items.emplace_back(Value(name), std::move(value));
      keywords.clear();
      scope.set(parameter.name, dict);
      continue;
    }
    const auto named = std::find_if(keywords.begin(), keywords.end(),
                                    [&](const auto& k) { return k.first == parameter.name; });
    const bool positional = parameter.kind != python::ParameterKind::kKeywordOnly && next < arguments.size();
    if (positional && named != keywords.end())
      throw Error("{}() got \"{}\" twice", function.name, parameter.name);
    if (positional) {
      scope.set(parameter.name, std::move(arguments[next++]));
    } else if (named != keywords.end()) {
      scope.set(parameter.name, std::move(named->second));
      keywords.erase(named);
    } else if (otherwise != nullptr) {
      scope.set(parameter.name, *otherwise);
    } else {
      throw Error("{}() needs an argument \"{}\"", function.name, parameter.name);
    }
  }
  if (next < arguments.size())
    throw Error("{}() takes {} arguments, not {}", function.name, next, arguments.size());
  if (!keywords.empty()) throw Error("{}() has no parameter \"{}\"", function.name, keywords.front().first);
}

Value Interpreter::call_function(const FunctionData& function, std::vector<Value> arguments,
                                 KeywordValues keywords) {
  ScopeGuard guard(*this, function.closure);
  bind(function, std::move(arguments), std::move(keywords), guard.scope());
  guard.enter();
  if (function.expression != nullptr) return evaluate(*function.expression);
  const Flow flow = execute(*function.body);
  if (flow != Flow::kReturn) return None{};
  return std::exchange(returned_, Value(None{}));
}

}  // namespace fib::reference
