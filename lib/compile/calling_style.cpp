#include "compile/calling_style.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/cpp_source.h"
#include "compile/python_source.h"
#include "compile/tvm_ffi_package.h"

namespace fib::compile {
namespace {

using model::Language;

constexpr const char* kAbsent = "the solution does not say destination_passing_style";

ChosenStyle inferred(CallingStyle style, const std::string& why) {
  return {style, true, fmt::format("{}: called as {}, since {}", kAbsent, name_of(style), why)};
}

ChosenStyle unseen(const std::string& what) {
  return inferred(CallingStyle::kDestinationPassing, fmt::format("{}; that is the format's default", what));
}

// What is decisive for both languages.
struct Seen {
  std::string function;  // "run in main.py:3"
  std::string result;    // "returns a value", "returns torch::Tensor"
  bool returns_value = false;
  bool takes_inputs_alone = false;
  bool takes_named_outputs = false;
  std::size_t required = 0;
};

ChosenStyle decide(const Seen& seen) {
  const auto because = [&](const std::string& text) { return fmt::format("{} {}", seen.function, text); };
  if (!seen.returns_value) return inferred(CallingStyle::kDestinationPassing, because("returns no value"));
  if (!seen.takes_inputs_alone) {
    return inferred(CallingStyle::kDestinationPassing,
                    because(fmt::format("needs {} arguments, more than there are inputs", seen.required)));
  }
  if (seen.takes_named_outputs) {
    return inferred(CallingStyle::kDestinationPassing, because("has parameters for the outputs"));
  }
  return inferred(CallingStyle::kValueReturning, because(seen.result));
}

// Parameters behind the inputs that are called as the outputs are; or, of a function that is called by name,
// anywhere.
bool names_outputs(const PythonFunction& function, const model::Definition& definition) {
  const auto& parameters = function.parameters;
  const std::size_t inputs = definition.inputs.size();
  if (definition.outputs.empty()) return false;
  if (function.takes_by_name(argument_names(CallingStyle::kDestinationPassing, definition))) return true;
  if (parameters.size() < inputs + definition.outputs.size()) return false;
  return std::equal(definition.outputs.begin(), definition.outputs.end(),
                    parameters.begin() + static_cast<std::ptrdiff_t>(inputs),
                    [](const auto& output, const auto& parameter) { return output.name == parameter; });
}

ChosenStyle style_of_python(const model::Solution& solution, const model::Definition& definition) {
  const auto* entry = solution.entry_source();
  const std::string symbol(solution.spec.entry_symbol());
  const auto sight = entry == nullptr ? EntrySight() : see_entry(entry->content, symbol);
  if (!sight.function)
    return unseen(fmt::format("no function {} can be seen in {}", symbol, solution.spec.entry_file()));
  const auto& function = *sight.function;
  Seen seen{fmt::format("{} in {}:{}", function.name, entry->path, function.line), "returns a value"};
  seen.returns_value = function.returns_value;
  seen.takes_inputs_alone = function.required <= definition.inputs.size();
  seen.takes_named_outputs = names_outputs(function, definition);
  seen.required = function.required;
  return decide(seen);
}

ChosenStyle style_of_extension(const model::Solution& solution, const model::Definition& definition) {
  const std::string symbol(solution.spec.entry_symbol());
  const auto function = bound_function(solution, symbol);
  if (!function)
    return unseen(is_tvm_ffi(solution)
                      ? fmt::format("the function that is exported as {} cannot be seen", symbol)
                      : fmt::format("the function that m.def(\"{}\", …) binds cannot be seen", symbol));
  const std::string name = function->name.empty() ? "the function" : function->name;
  Seen seen{fmt::format("{} in {}:{}", name, function->file, function->line),
            function->type.empty() ? "returns a value" : "returns " + function->type};
  seen.returns_value = function->returns_value;
  seen.takes_inputs_alone = function->required <= definition.inputs.size();
  seen.required = function->required;
  return decide(seen);
}

}  // namespace

const char* name_of(CallingStyle style) {
  return style == CallingStyle::kValueReturning ? "value-returning" : "destination passing";
}

std::vector<std::string> argument_names(CallingStyle style, const model::Definition& definition) {
  std::vector<std::string> names;
  for (const auto& input : definition.inputs) names.push_back(input.name);
  if (style == CallingStyle::kValueReturning) return names;
  for (const auto& output : definition.outputs) names.push_back(output.name);
  return names;
}

std::size_t argument_count(CallingStyle style, const model::Definition& definition) {
  return argument_names(style, definition).size();
}

ChosenStyle calling_style(const model::Solution& solution, const model::Definition& definition) {
  if (const auto& said = solution.spec.destination_passing)
    return {*said ? CallingStyle::kDestinationPassing : CallingStyle::kValueReturning, false, {}};
  const auto language = solution.spec.language;
  const bool compiled = language == Language::cpp || language == Language::cuda;
  return compiled ? style_of_extension(solution, definition) : style_of_python(solution, definition);
}

}  // namespace fib::compile
