#include "compile/python_source.h"

#include <algorithm>

#include "python/lexer.h"
#include "python/parser.h"
#include "python/statements.h"

namespace fib::compile {
namespace {

using python::Block;
using python::Expr;
using python::FunctionDef;
using python::Module;
using python::Stmt;

std::optional<Module> parsed(std::string_view source) try {
  return python::parse_module(source);
} catch (const python::SyntaxError&) {
  return std::nullopt;
}

// Whether the source may give the symbol a value in a way that its statements do not show.
bool may_be_made_unseen(std::string_view source, const std::string& symbol) {
  const auto tokens = python::tokenize(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (const std::string_view word : {"exec", "eval", "globals", "locals", "vars", "setattr", "modules",
                                        "__dict__", "__getattr__", "global", "match"}) {
      if (tokens[i].text == word) return true;
    }
    if (tokens[i].text == symbol && i + 1 < tokens.size() && tokens[i + 1].text == ":=") return true;
  }
  return false;
}

// The statements that give a name its value at module level.
class Bindings {
 public:
  explicit Bindings(const std::string& name) : name_(name) {}

  void look(const Module& module) {
    python::for_each_statement(module.body, [this](const Stmt& statement) {
      const std::size_t before = count_;
      std::visit(*this, statement.node);
      if (count_ > before) last_ = &statement;
    });
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const Stmt* last() const { return last_; }
  [[nodiscard]] bool any_name() const { return any_name_; }  // from x import *

  void operator()(const FunctionDef& n) { add(n.name); }
  void operator()(const python::ClassDef& n) { add(n.name); }
  void operator()(const python::Assign& n) {
    for (const auto& target : n.targets) add(*target);
  }
  void operator()(const python::AnnAssign& n) {
    if (n.value) add(*n.target);
  }
  void operator()(const python::AugAssign& n) { add(*n.target); }
  void operator()(const python::For& n) { add(*n.target); }
  void operator()(const python::With& n) {
    for (const auto& item : n.items) {
      if (item.target) add(*item.target);
    }
  }
  void operator()(const python::Import& n) {
    for (const auto& alias : n.names)
      add(alias.as_name.empty() ? alias.name.substr(0, alias.name.find('.')) : alias.as_name);
  }
  void operator()(const python::ImportFrom& n) {
    for (const auto& alias : n.names) {
      any_name_ |= alias.name == "*";
      add(alias.as_name.empty() ? alias.name : alias.as_name);
    }
  }
  template <typename Other>
  void operator()(const Other& /*unused*/) {}

 private:
  void add(const std::string& name) { count_ += name == name_ ? 1 : 0; }
  void add(const Expr& target) {
    if (const auto* name = std::get_if<python::Name>(&target.node)) add(name->id);
    if (const auto* tuple = std::get_if<python::Tuple>(&target.node)) add(tuple->elements);
    if (const auto* list = std::get_if<python::List>(&target.node)) add(list->elements);
    if (const auto* starred = std::get_if<python::Starred>(&target.node)) add(*starred->value);
  }
  void add(const python::Exprs& targets) {
    for (const auto& target : targets) add(*target);
  }

  const std::string& name_;
  std::size_t count_ = 0;
  const Stmt* last_ = nullptr;
  bool any_name_ = false;
};

bool is_none(const Expr& value) {
  const auto* constant = std::get_if<python::Constant>(&value.node);
  return constant != nullptr && constant->kind == python::ConstantKind::kNone;
}

bool returns_value(const FunctionDef& function) {
  bool found = false;
  python::for_each_statement(function.body, [&](const Stmt& statement) {
    const auto* result = std::get_if<python::Return>(&statement.node);
    found |= result != nullptr && result->value && !is_none(*result->value);
  });
  return found;
}

// @torch.no_grad() and @torch.inference_mode() pass arguments on as they are.
bool keeps_parameters(const Expr& decorator) {
  const Expr* expression = &decorator;
  if (const auto* call = std::get_if<python::Call>(&expression->node)) expression = call->function.get();
  const auto* attribute = std::get_if<python::Attribute>(&expression->node);
  return attribute != nullptr && (attribute->name == "no_grad" || attribute->name == "inference_mode");
}

PythonFunction describe(const FunctionDef& function, int line) {
  PythonFunction result;
  result.name = function.name;
  result.line = line;
  for (const auto& parameter : function.parameters) {
    using python::ParameterKind;
    const bool by_position =
        parameter.kind == ParameterKind::kPositional || parameter.kind == ParameterKind::kPositionalOnly;
    const bool needed = parameter.default_value == nullptr;
    if (by_position) {
      result.parameters.push_back(parameter.name);
      result.required += needed ? 1 : 0;
      result.nameless += parameter.kind == ParameterKind::kPositionalOnly ? 1 : 0;
    }
    result.takes_more |= parameter.kind == ParameterKind::kStarArgs;
    result.takes_names |= parameter.kind == ParameterKind::kStarKwargs;
    if (parameter.kind == ParameterKind::kKeywordOnly) {
      result.keywords.push_back(parameter.name);
      if (needed) result.needed.insert(parameter.name);
    }
  }
  result.decorated = !std::all_of(function.decorators.begin(), function.decorators.end(),
                                  [](const auto& decorator) { return keeps_parameters(*decorator); });
  result.returns_value = returns_value(function);
  return result;
}

// Another name that a statement such as `run = rmsnorm` takes the value of; empty: none.
std::string alias_in(const Stmt& statement) {
  const auto* assign = std::get_if<python::Assign>(&statement.node);
  if (assign == nullptr || assign->targets.size() != 1) return {};
  const bool plain = std::holds_alternative<python::Name>(assign->targets[0]->node);
  const auto* value = std::get_if<python::Name>(&assign->value->node);
  return plain && value != nullptr ? value->id : "";
}

EntrySight see(const Module& module, std::string_view source, std::string symbol) {
  constexpr int kMaxAliases = 8;
  for (int i = 0; i < kMaxAliases; ++i) {
    Bindings bindings(symbol);
    bindings.look(module);
    if (bindings.count() == 0) {
      const bool unseen = bindings.any_name() || may_be_made_unseen(source, symbol);
      return {i == 0 && !unseen, std::nullopt};
    }
    if (bindings.count() != 1) return {};
    const auto* function = std::get_if<FunctionDef>(&bindings.last()->node);
    if (function != nullptr && function->is_async) return {};
    if (function != nullptr) return {false, describe(*function, bindings.last()->line)};
    symbol = alias_in(*bindings.last());
    if (symbol.empty()) return {};
  }
  return {};
}

// A method that surely is what it looks like: of a class without decorators that is bound once and whose body
// holds nothing but functions, defined once in it, without decorators.
EntrySight see_method(const Module& module, std::string_view source, const std::string& type,
                      const std::string& method) {
  Bindings bindings(type);
  bindings.look(module);
  if (bindings.count() == 0) return {!bindings.any_name() && !may_be_made_unseen(source, type), std::nullopt};
  const auto* found = bindings.count() == 1 ? std::get_if<python::ClassDef>(&bindings.last()->node) : nullptr;
  if (found == nullptr || !found->decorators.empty()) return {};
  const FunctionDef* only = nullptr;
  int line = 0;
  for (const auto& statement : found->body) {
    const auto* function = std::get_if<FunctionDef>(&statement->node);
    if (function == nullptr && !std::holds_alternative<python::ExprStmt>(statement->node)) return {};
    if (function == nullptr || function->name != method) continue;
    if (only != nullptr || function->is_async || !function->decorators.empty()) return {};
    only = function;
    line = statement->line;
  }
  if (only == nullptr) return {};
  auto seen = describe(*only, line);
  if (seen.parameters.empty() || seen.required == 0) return {};
  seen.parameters.erase(seen.parameters.begin());
  --seen.required;
  seen.nameless -= seen.nameless > 0 ? 1 : 0;
  return {false, std::move(seen)};
}

// "torch.nn" is of torch; "cuda.tile.x" of cuda.tile.
std::string package_of(const std::string& module) {
  constexpr std::string_view kShared = "cuda.";
  const auto from = module.starts_with(kShared) ? kShared.size() : 0;
  return module.substr(0, module.find('.', from));
}

void add_packages(const Block& block, std::set<std::string>& packages) {
  for (const auto& statement : block) {
    if (const auto* import = std::get_if<python::Import>(&statement->node)) {
      for (const auto& alias : import->names) packages.insert(package_of(alias.name));
    }
    const auto* from = std::get_if<python::ImportFrom>(&statement->node);
    if (from != nullptr && from->level == 0 && from->module != "cuda")
      packages.insert(package_of(from->module));
    if (from != nullptr && from->level == 0 && from->module == "cuda") {
      for (const auto& alias : from->names) packages.insert("cuda." + alias.name);
    }
    const auto* tried = std::get_if<python::Try>(&statement->node);
    const Block* optional = tried != nullptr && !tried->handlers.empty() ? &tried->body : nullptr;
    python::for_each_block(*statement, [&](const Block& inner) {
      if (&inner != optional) add_packages(inner, packages);
    });
  }
}

}  // namespace

bool PythonFunction::takes(std::size_t count) const {
  return needed.empty() && required <= count && (takes_more || count <= parameters.size());
}

bool PythonFunction::takes_by_name(const std::vector<std::string>& names) const {
  std::set<std::string> by_name(parameters.begin() + static_cast<std::ptrdiff_t>(nameless), parameters.end());
  by_name.insert(keywords.begin(), keywords.end());
  const std::set<std::string> given(names.begin(), names.end());
  std::set<std::string> wanted = needed;
  wanted.insert(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(required));
  return std::includes(by_name.begin(), by_name.end(), given.begin(), given.end()) &&
         std::includes(given.begin(), given.end(), wanted.begin(), wanted.end());
}

EntrySight see_entry(std::string_view source, const std::string& symbol) {
  const auto module = parsed(source);
  if (!module) return {};
  const auto dot = symbol.find('.');
  return dot == std::string::npos
             ? see(*module, source, symbol)
             : see_method(*module, source, symbol.substr(0, dot), symbol.substr(dot + 1));
}

std::set<std::string> imported_packages(std::string_view source) {
  std::set<std::string> packages;
  if (const auto module = parsed(source)) add_packages(module->body, packages);
  return packages;
}

}  // namespace fib::compile
