#pragma once

#include <memory>
#include <utility>

#include "reference/interpreter.h"

namespace fib::reference {

class Interpreter::ScopeGuard {
 public:
  ScopeGuard(Interpreter& interpreter, Scope* parent)
      : interpreter_(interpreter), scope_(std::make_unique<Scope>(parent)), before_(interpreter.scope_) {}
  ~ScopeGuard() {
    interpreter_.scope_ = before_;
    if (scope_->is_captured()) interpreter_.captured_.push_back(std::move(scope_));
  }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

  [[nodiscard]] Scope& scope() { return *scope_; }
  // From here on names are looked up in the new scope.
  void enter() { interpreter_.scope_ = scope_.get(); }

 private:
  Interpreter& interpreter_;
  std::unique_ptr<Scope> scope_;
  Scope* before_;
};

// Bounds the C++ stack that nested expressions, blocks and calls take.
class Interpreter::DepthGuard {
 public:
  explicit DepthGuard(Interpreter& interpreter) : interpreter_(interpreter) {
    if (interpreter_.depth_ >= kLimit) throw Error("the reference is nested or recurses too deeply");
    ++interpreter_.depth_;
  }
  ~DepthGuard() { --interpreter_.depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  static constexpr int kLimit = 1500;
  Interpreter& interpreter_;
};

}  // namespace fib::reference
