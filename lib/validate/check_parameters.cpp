#include <fmt/format.h>

#include <algorithm>

#include "dataset/python_text.h"
#include "python/parser.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

using NameList = std::vector<std::string>;
using python::ParameterKind;

// The parameters of `run` by what a call with one positional argument an input means for them.
struct Parameters {
  NameList positional;
  NameList without_argument;  // required, but given by name only
  std::size_t required = 0;
  bool any_number = false;  // *args
};

Parameters parameters_of(const python::FunctionDef& function) {
  Parameters result;
  for (const python::Parameter& parameter : function.parameters) {
    const bool required = parameter.default_value == nullptr;
    if (parameter.kind == ParameterKind::kStarArgs) {
      result.any_number = true;
    } else if (parameter.kind == ParameterKind::kKeywordOnly) {
      if (required) result.without_argument.push_back(parameter.name);
    } else if (parameter.kind != ParameterKind::kStarKwargs) {
      result.positional.push_back(parameter.name);
      if (required) ++result.required;
    }
  }
  return result;
}

// What follows from another order or another name.
const char* advice(const NameList& parameters, const NameList& inputs, const std::string& name) {
  if (std::is_permutation(parameters.begin(), parameters.end(), inputs.begin(), inputs.end()))
    return "fib passes inputs by name here, other tools by position: bring both in the same order";
  const bool elsewhere = std::find(inputs.begin(), inputs.end(), name) != inputs.end();
  return elsewhere ? "inputs are passed by position: bring both in the same order"
                   : "inputs are passed by position: give both the same name";
}

void compare(const Parameters& parameters, const NameList& inputs, const Place& place, Messages& messages) {
  const std::size_t taken = parameters.positional.size();
  if (!parameters.without_argument.empty()) {
    error(messages, place,
          fmt::format("the reference's run takes {} by name only; inputs are passed by position",
                      dataset::python_repr(parameters.without_argument)));
  }
  if (inputs.size() < parameters.required || (inputs.size() > taken && !parameters.any_number)) {
    error(messages, place,
          fmt::format("the reference's run takes {}, but the inputs are {}; it must take one for each",
                      dataset::python_repr(parameters.positional), dataset::python_repr(inputs)));
    return;
  }
  for (std::size_t i = 0; i < std::min(taken, inputs.size()); ++i) {
    const std::string& name = parameters.positional[i];
    if (name == inputs[i]) continue;
    warning(messages, place,
            fmt::format("parameter {} of the reference's run is '{}', but input {} is '{}'; {}", i + 1, name,
                        i + 1, inputs[i], advice(parameters.positional, inputs, name)));
    return;
  }
}

}  // namespace

Messages check_parameters(const Subject& subject) {
  Messages messages;
  if (subject.definition == nullptr) return messages;
  NameList inputs;
  for (const model::TensorSpec& input : subject.definition->inputs) inputs.push_back(input.name);
  // A definition that was read has a reference that parses and holds `run`.
  const python::Module module = python::parse_module(subject.definition->reference);
  const python::FunctionDef* run = python::find_function(module, "run");
  if (run != nullptr) compare(parameters_of(*run), inputs, {subject.scanned.file}, messages);
  return messages;
}

}  // namespace fib::validate
