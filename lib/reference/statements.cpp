#include <new>
#include <stdexcept>

#include "reference/interpreter_guards.h"
#include "reference/operators.h"

namespace fib::reference {

void Interpreter::execute_module(const python::Module& module) {
  globals_.capture();
  globals_.set("__name__", std::string("reference"));
  const Flow flow = execute(module.body);
  if (flow != Flow::kNext)
    throw Error("the module has a \"return\", \"break\" or \"continue\" outside of a function");
}

Interpreter::Flow Interpreter::execute(const python::Block& block) {
  const DepthGuard depth(*this);
  for (const python::StmtPtr& stmt : block) {
    const Flow flow = execute(*stmt);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::execute(const python::Stmt& stmt) {
  try {
    if (max_steps_ != 0 && ++steps_ > max_steps_)
      throw Error("the reference executes more than {} statements", max_steps_);
    return std::visit([&](const auto& node) { return run(node); }, stmt.node);
  } catch (const LineError&) {
    throw;
  } catch (const Error& error) {
    throw LineError(stmt.line, error.what());
  } catch (const std::bad_alloc&) {
    throw LineError(stmt.line, "out of memory");
  } catch (const std::length_error&) {
    throw LineError(stmt.line, "out of memory");
  }
}

Interpreter::Flow Interpreter::run(const python::ExprStmt& s) {
  evaluate(*s.value);
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const python::Assign& s) {
  const Value value = evaluate(*s.value);
  for (const python::ExprPtr& target : s.targets) assign(*target, value);
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const python::AugAssign& s) {
  if (const auto* name = std::get_if<python::Name>(&s.target->node)) {
    const Value before = eval(*name);
    scope_->set(name->id, augmented(runtime_, s.op, before, evaluate(*s.value)));
    return Flow::kNext;
  }
  const auto* target = std::get_if<python::Subscript>(&s.target->node);
  if (target == nullptr) throw not_supported("assignment to an attribute");
  const Value object = evaluate(*target->value);
  const Value index = evaluate(*target->index);
  const Value before = subscript(object, index);
  assign_subscript(object, index, augmented(runtime_, s.op, before, evaluate(*s.value)));
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const python::AnnAssign& s) {
  if (s.value) assign(*s.target, evaluate(*s.value));
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const python::Return& s) {
  returned_ = s.value ? evaluate(*s.value) : Value(None{});
  return Flow::kReturn;
}

Interpreter::Flow Interpreter::run(const python::If& s) {
  for (const python::IfBranch& branch : s.branches) {
    if (is_true(evaluate(*branch.test))) return execute(branch.body);
  }
  return execute(s.orelse);
}

Interpreter::Flow Interpreter::loop_body(const python::For& s, const Value& item) {
  assign(*s.target, item);
  return execute(s.body);
}

Interpreter::Flow Interpreter::run(const python::For& s) {
  if (s.is_async) throw not_supported("\"async for\"");
  const Value iterable = evaluate(*s.iterable);
  const auto* range = iterable.get<RangeValue>();
  const std::vector<Value> items = range != nullptr ? std::vector<Value>{} : items_of(iterable);
  const std::int64_t count = range != nullptr ? range->length() : static_cast<std::int64_t>(items.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const Flow flow = loop_body(
        s, range != nullptr ? Value(range->start + i * range->step) : items[static_cast<std::size_t>(i)]);
    if (flow == Flow::kReturn) return flow;
    if (flow == Flow::kBreak) return Flow::kNext;
  }
  return execute(s.orelse);
}

Interpreter::Flow Interpreter::run(const python::While& s) {
  while (is_true(evaluate(*s.test))) {
    const Flow flow = execute(s.body);
    if (flow == Flow::kReturn) return flow;
    if (flow == Flow::kBreak) return Flow::kNext;
  }
  return execute(s.orelse);
}

void Interpreter::check_decorator(const python::Expr& decorator) {
  const Value value = evaluate(decorator);
  if (value.is<ContextValue>()) return;
  const auto* builtin = value.get<const Builtin*>();
  const bool bare = builtin != nullptr &&
                    ((*builtin)->name == "torch.no_grad" || (*builtin)->name == "torch.inference_mode");
  if (!bare) throw not_supported("a decorator other than torch.no_grad");
}

Interpreter::Flow Interpreter::run(const python::FunctionDef& s) {
  if (s.is_async) throw not_supported("\"async def\"");
  for (const python::ExprPtr& decorator : s.decorators) check_decorator(*decorator);
  scope_->set(s.name, make_function(s.name, s.parameters, &s.body, nullptr));
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const python::With& s) {
  for (const python::WithItem& item : s.items) {
    const bool plain = evaluate(*item.context).is<ContextValue>() && item.target == nullptr && !s.is_async;
    if (!plain) throw not_supported("a with statement other than \"with torch.no_grad()\"");
  }
  return execute(s.body);
}

Interpreter::Flow Interpreter::run(const python::Assert& s) {
  if (is_true(evaluate(*s.test))) return Flow::kNext;
  if (s.message == nullptr) throw Error("assertion failed");
  throw Error("assertion failed: {}", to_text(evaluate(*s.message)));
}

Interpreter::Flow Interpreter::run(const python::Raise& s) {
  // The exceptions themselves are not known here; their message is what matters.
  const auto* call = s.exception ? std::get_if<python::Call>(&s.exception->node) : nullptr;
  if (call == nullptr || call->arguments.size() != 1) throw Error("the reference raised an exception");
  throw Error("the reference raised an exception: {}", to_text(evaluate(*call->arguments.front())));
}

Interpreter::Flow Interpreter::run(const python::Delete& s) {
  for (const python::ExprPtr& target : s.targets) {
    const auto* name = std::get_if<python::Name>(&target->node);
    if (name == nullptr) throw not_supported("\"del\" of anything but names");
    if (!scope_->erase(name->id)) throw Error("name '{}' is not defined", name->id);
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const python::ClassDef&) { throw not_supported("a class definition"); }
Interpreter::Flow Interpreter::run(const python::Try&) { throw not_supported("\"try\""); }
Interpreter::Flow Interpreter::run(const python::Global&) { throw not_supported("\"global\""); }
Interpreter::Flow Interpreter::run(const python::Nonlocal&) { throw not_supported("\"nonlocal\""); }
Interpreter::Flow Interpreter::run(const python::Match&) { throw not_supported("\"match\""); }

}  // namespace fib::reference
