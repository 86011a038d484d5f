#include "python/statements.h"

namespace fib::python {
namespace {

using Visit = std::function<void(const Block&)>;

class Blocks {
 public:
  explicit Blocks(const Visit& visit) : visit_(visit) {}

  void operator()(const If& n) const {
    for (const auto& branch : n.branches) visit_(branch.body);
    visit_(n.orelse);
  }
  void operator()(const For& n) const { both(n.body, n.orelse); }
  void operator()(const While& n) const { both(n.body, n.orelse); }
  void operator()(const With& n) const { visit_(n.body); }
  void operator()(const FunctionDef& n) const { visit_(n.body); }
  void operator()(const ClassDef& n) const { visit_(n.body); }
  void operator()(const Try& n) const {
    visit_(n.body);
    for (const auto& handler : n.handlers) visit_(handler.body);
    both(n.orelse, n.finally);
  }
  void operator()(const Match& n) const {
    for (const auto& block : n.cases) visit_(block);
  }
  template <typename Simple>
  void operator()(const Simple& /*unused*/) const {}

 private:
  void both(const Block& first, const Block& second) const {
    visit_(first);
    visit_(second);
  }
  const Visit& visit_;
};

bool has_a_scope(const Stmt& statement) {
  return std::holds_alternative<FunctionDef>(statement.node) ||
         std::holds_alternative<ClassDef>(statement.node);
}

}  // namespace

void for_each_block(const Stmt& statement, const Visit& visit) { std::visit(Blocks(visit), statement.node); }

void for_each_statement(const Block& block, const std::function<void(const Stmt&)>& visit) {
  for (const auto& statement : block) {
    visit(*statement);
    if (has_a_scope(*statement)) continue;
    for_each_block(*statement, [&](const Block& inner) { for_each_statement(inner, visit); });
  }
}

}  // namespace fib::python
