#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/value.h"

namespace fib::reference {

class Arguments;

// One parameter of a built-in function. `rest` takes all further positional arguments, or one sequence of
// them.
struct BuiltinParameter {
  std::string name;
  bool optional = false;
  bool rest = false;
};

// A function that is not written in the reference: torch's, a tensor's method, math's or Python's own.
struct Builtin {
  std::string name;  // as messages call it: "torch.softmax"
  std::vector<BuiltinParameter> parameters;
  std::function<Value(const Runtime&, const Arguments&)> function;
};

using BuiltinFunction = Value (*)(const Runtime&, const Arguments&);

// Where a function is found: as torch.x, torch.nn.functional.x, tensor.x, math.x, or by its bare name.
enum Where : unsigned { kTorch = 1, kFunctional = 2, kMethod = 4, kMath = 8, kPython = 16 };

// One row of the tables of functions. `parameters` are names in order, separated by spaces; "name?" may be
// left out, "*name" takes the rest.
struct BuiltinRow {
  const char* name;
  unsigned where;
  const char* parameters;
  BuiltinFunction function;
};

// All built-in functions by their full name: "torch.softmax", "Tensor.softmax",
// "torch.nn.functional.softmax", "math.sqrt", "range". Read-only after construction.
class Registry {
 public:
  Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Null when there is none.
  [[nodiscard]] const Builtin* find(const std::string& full_name) const;
  [[nodiscard]] const Builtin* find_method(const std::string& name) const { return find("Tensor." + name); }

  void add(const BuiltinRow& row);
  void add(const std::string& name, unsigned where, const char* parameters,
           const std::function<Value(const Runtime&, const Arguments&)>& function);

 private:
  std::map<std::string, Builtin, std::less<>> builtins_;
};

// The tables, one file each.
void add_elementwise_functions(Registry& registry);
[[nodiscard]] std::span<const BuiltinRow> reduction_functions();
[[nodiscard]] std::span<const BuiltinRow> view_functions();
[[nodiscard]] std::span<const BuiltinRow> creation_functions();
[[nodiscard]] std::span<const BuiltinRow> index_functions();
[[nodiscard]] std::span<const BuiltinRow> joining_functions();
[[nodiscard]] std::span<const BuiltinRow> conversion_functions();
[[nodiscard]] std::span<const BuiltinRow> matrix_functions();
[[nodiscard]] std::span<const BuiltinRow> neural_functions();
[[nodiscard]] std::span<const BuiltinRow> python_functions();
[[nodiscard]] std::span<const BuiltinRow> random_functions();
void add_math_functions(Registry& registry);

}  // namespace fib::reference
