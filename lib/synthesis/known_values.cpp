#include "synthesis/known_values.h"

#include <fmt/format.h>

#include "python/parser.h"
#include "util/error.h"

namespace fib::synthesis {
namespace {

using Number = std::optional<std::int64_t>;

const model::TensorSpec* find_tensor(const model::Definition& definition, const std::string& name) {
  for (const auto* specs : {&definition.inputs, &definition.outputs}) {
    for (const auto& spec : *specs) {
      if (spec.name == name) return &spec;
    }
  }
  return nullptr;
}

// Element `index`, from the end when it is negative.
Number element_of(const Integers& values, std::int64_t index) {
  const auto count = static_cast<std::int64_t>(values.size());
  if (index < 0) index += count;
  return index < 0 || index >= count ? std::nullopt : Number(values[static_cast<std::size_t>(index)]);
}

}  // namespace

Number KnownValues::value(const std::string& name) const {
  const auto found = axes_.find(name);
  return found == axes_.end() ? std::nullopt : Number(found->second);
}

Number KnownValues::size(const std::string& tensor, std::int64_t index) const {
  const auto* spec = find_tensor(definition_, tensor);
  if (spec == nullptr || spec->is_scalar()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(spec->shape->size());
  if (index < 0) index += rank;
  if (index < 0 || index >= rank) return std::nullopt;
  const std::string& entry = (*spec->shape)[static_cast<std::size_t>(index)];
  const auto literal = model::literal_size(entry);
  return literal ? literal : value(entry);
}

Number KnownValues::element(const std::string& tensor, std::int64_t index) const {
  const auto found = tensors_.find(tensor);
  const auto* spec = find_tensor(definition_, tensor);
  if (found == tensors_.end() || spec == nullptr || spec->is_scalar() || spec->shape->size() != 1)
    return std::nullopt;
  return element_of(found->second, index);
}

std::string broken_constraint(const model::Definition& definition, const KnownValues& known) {
  for (const auto& text : definition.constraints.value_or(std::vector<std::string>{})) {
    try {
      const auto judgement = model::judge_constraint(*python::parse_expression(text), known);
      if (judgement.verdict == model::ConstraintVerdict::broken) {
        return fmt::format("constraint \"{}\" does not hold, for {} is false", text, judgement.comparison);
      }
    } catch (const Error&) {  // no expression: `fib validate` says so
    }
  }
  return {};
}

}  // namespace fib::synthesis
