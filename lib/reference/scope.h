#pragma once

#include <string>
#include <unordered_map>

#include "reference/value.h"

namespace fib::reference {

// The names of a module or of one call of a function.
class Scope {
 public:
  // `parent` is where the function was defined; it outlives this scope. Null for the module.
  explicit Scope(Scope* parent) : parent_(parent) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // The value of a name here or in an enclosing scope; null when there is none.
  [[nodiscard]] const Value* find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent_) {
      const auto found = scope->values_.find(name);
      if (found != scope->values_.end()) return &found->second;
    }
    return nullptr;
  }

  void set(const std::string& name, Value value) { values_.insert_or_assign(name, std::move(value)); }
  bool erase(const std::string& name) { return values_.erase(name) != 0; }

  // A function defined in this scope refers to it, so it must outlive its call.
  void capture() {
    for (Scope* scope = this; scope != nullptr && !scope->captured_; scope = scope->parent_)
      scope->captured_ = true;
  }
  [[nodiscard]] bool is_captured() const { return captured_; }

 private:
  std::unordered_map<std::string, Value> values_;
  Scope* parent_;
  bool captured_ = false;
};

}  // namespace fib::reference
