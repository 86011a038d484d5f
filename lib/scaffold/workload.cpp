#include "scaffold/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "util/error.h"
#include "util/hash.h"

namespace fib::scaffold {
namespace {

using nlohmann::ordered_json;

// "12345678-1234-...": the form that uuids have.
std::string uuid_of(const std::string& text) {
  const std::string hex = util::sha256_hex(text);
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20, 12));
}

ordered_json scalar_of(const std::string& name, const std::string& text) {
  const auto value = ordered_json::parse(text, nullptr, false);
  if (!value.is_number() && !value.is_boolean())
    throw Error("{}={}: the value of a scalar is a number, true or false", name, text);
  return {{"type", "scalar"}, {"value", value}};
}

void check_names(const model::Definition& definition, const model::AxisValues& axes,
                 const std::map<std::string, std::string>& scalars) {
  const auto variables = model::var_axes(definition);
  for (const std::string& axis : variables) {
    if (!axes.contains(axis)) throw Error("the axis {} needs a size", axis);
  }
  for (const auto& [axis, size] : axes) {
    if (std::find(variables.begin(), variables.end(), axis) == variables.end())
      throw Error("{} has no variable axis {}", definition.name, axis);
    if (size < 1) throw Error("{}={}: a size is at least 1", axis, size);
  }
  for (const auto& [name, value] : scalars) {
    const bool is_there = std::any_of(
        definition.inputs.begin(), definition.inputs.end(),
        [&, &wanted = name](const auto& input) { return input.is_scalar() && input.name == wanted; });
    if (!is_there) throw Error("{} has no scalar input {}", definition.name, name);
  }
}

}  // namespace

model::Workload new_workload(const model::Definition& definition, const model::AxisValues& axes,
                             const std::map<std::string, std::string>& scalars) {
  check_names(definition, axes, scalars);
  ordered_json workload = {{"axes", ordered_json::object()}, {"inputs", ordered_json::object()}};
  for (const std::string& axis : model::var_axes(definition)) workload["axes"][axis] = axes.at(axis);
  for (const auto& input : definition.inputs) {
    const auto scalar = scalars.find(input.name);
    if (input.is_scalar() && scalar == scalars.end())
      throw Error("the scalar input {} needs a value: --set {}=...", input.name, input.name);
    workload["inputs"][input.name] =
        input.is_scalar() ? scalar_of(input.name, scalar->second) : ordered_json{{"type", "random"}};
  }
  workload["uuid"] = uuid_of(definition.name + "\n" + workload.dump());
  return model::parse_workload(workload.dump());
}

}  // namespace fib::scaffold
