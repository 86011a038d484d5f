#include "reference/registry.h"

#include <array>
#include <sstream>

namespace fib::reference {
namespace {

struct Prefix {
  Where where;
  const char* text;
};

constexpr std::array<Prefix, 5> kPrefixes = {{{kTorch, "torch."},
                                              {kFunctional, "torch.nn.functional."},
                                              {kMethod, "Tensor."},
                                              {kMath, "math."},
                                              {kPython, ""}}};

std::vector<BuiltinParameter> parse_parameters(const char* text) {
  std::vector<BuiltinParameter> parameters;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    BuiltinParameter parameter;
    parameter.rest = word.front() == '*';
    parameter.optional = word.back() == '?';
    if (parameter.rest) word.erase(word.begin());
    if (parameter.optional) word.pop_back();
    parameter.name = word;
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace

Registry::Registry() {
  add_elementwise_functions(*this);
  add_math_functions(*this);
  for (const auto& table : {reduction_functions(), view_functions(), creation_functions(), index_functions(),
                            joining_functions(), conversion_functions(), matrix_functions(),
                            neural_functions(), python_functions(), random_functions()}) {
    for (const BuiltinRow& row : table) add(row);
  }
}

const Builtin* Registry::find(const std::string& full_name) const {
  const auto found = builtins_.find(full_name);
  return found == builtins_.end() ? nullptr : &found->second;
}

void Registry::add(const BuiltinRow& row) { add(row.name, row.where, row.parameters, row.function); }

void Registry::add(const std::string& name, unsigned where, const char* parameters,
                   const std::function<Value(const Runtime&, const Arguments&)>& function) {
  for (const Prefix& prefix : kPrefixes) {
    if ((where & prefix.where) == 0) continue;
    const std::string full_name = prefix.text + name;
    builtins_.insert_or_assign(full_name, Builtin{full_name, parse_parameters(parameters), function});
  }
}

}  // namespace fib::reference
