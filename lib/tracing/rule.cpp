#include "tracing/rule.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/errors.h"
#include "model/json_value.h"
#include "tensor/dtype.h"
#include "tracing/presets.h"
#include "util/closest.h"
#include "util/error.h"

namespace fib::tracing {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

const Names kRuleKeys = {"input_dump_policy", "input_dump_policy_kwargs", "filter_policy",
                         "filter_policy_kwargs"};

void expect_keys(const json& object, const Names& known, const std::string& where) {
  if (!object.is_object()) throw Error("{} has to be an object", where);
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Error("{} has no key \"{}\"{}", where, key, util::did_you_mean(key, known));
  }
}

Error unknown(const std::string& what, const std::string& name, const Names& known) {
  return Error("there is no {} \"{}\"; there are {}", what, name, fmt::join(known, ", "));
}

DumpPolicy read_dump(const json& value) {
  static const Names kNames = {"dump_all", "dump_none", "dump_int"};
  DumpPolicy policy;
  if (value.is_array()) {
    policy.kind = DumpPolicy::Kind::named;
    for (const json& name : value) {
      if (!name.is_string()) throw Error("input_dump_policy has to be a policy's name or a list of names");
      policy.names.push_back(name);
    }
    return policy;
  }
  if (!value.is_string()) throw Error("input_dump_policy has to be a policy's name or a list of names");
  const auto name = value.get<std::string>();
  if (name == "dump_all") policy.kind = DumpPolicy::Kind::all;
  if (name == "dump_int") policy.kind = DumpPolicy::Kind::integers;
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
    throw unknown("input_dump_policy", name, kNames);
  return policy;
}

std::int64_t read_k(const json& arguments, const std::string& policy) {
  const auto k = arguments.find("k");
  if (k == arguments.end()) {
    if (policy == "keep_first_k") throw Error("keep_first_k needs \"k\" in filter_policy_kwargs");
    return 1;
  }
  if (!k->is_number_integer() || k->get<std::int64_t>() < 1)
    throw Error("k of {} has to be a whole number of at least 1", policy);
  return k->get<std::int64_t>();
}

FilterPolicy read_filter(const json& value, const json& arguments) {
  using Kind = FilterPolicy::Kind;
  static const std::map<std::string, std::pair<Kind, bool>> kPolicies = {
      {"keep_all", {Kind::all, false}},
      {"keep_none", {Kind::none, false}},
      {"keep_first", {Kind::first, false}},
      {"keep_first_k", {Kind::first, true}},
      {"keep_first_k_by_axes", {Kind::first_by_axes, true}},
      {"attention", {Kind::attention, true}}};
  if (!value.is_string()) throw Error("filter_policy has to be a policy's name");
  const auto name = value.get<std::string>();
  const auto found = kPolicies.find(name);
  if (found == kPolicies.end()) {
    Names known;
    for (const auto& policy : kPolicies) known.push_back(policy.first);
    throw unknown("filter_policy", name, known);
  }
  const auto [kind, has_k] = found->second;
  expect_keys(arguments, has_k ? Names{"k"} : Names{}, "filter_policy_kwargs of " + name);
  return {kind, has_k ? read_k(arguments, name) : 1};
}

RuleChange read_rule(const json& object, const std::string& where) {
  expect_keys(object, kRuleKeys, where);
  const auto arguments = [&](const char* policy, const char* key) {
    const json value = object.contains(key) ? object.at(key) : json::object();
    if (!object.contains(policy) && !value.empty()) throw Error("{} stands without {}", key, policy);
    return value;
  };
  const json dump_arguments = arguments("input_dump_policy", "input_dump_policy_kwargs");
  const json filter_arguments = arguments("filter_policy", "filter_policy_kwargs");
  RuleChange rule;
  expect_keys(dump_arguments, {}, "input_dump_policy_kwargs");
  if (object.contains("input_dump_policy")) rule.dump = read_dump(object.at("input_dump_policy"));
  if (object.contains("filter_policy"))
    rule.filter = read_filter(object.at("filter_policy"), filter_arguments);
  return rule;
}

std::uint64_t read_bytes(const json& object, const char* key, std::uint64_t usual) {
  if (!object.contains(key)) return usual;
  const json& value = object.at(key);
  if (!value.is_number_unsigned()) throw Error("{} has to be a whole number of bytes", key);
  return value.get<std::uint64_t>();
}

bool is_rule(const json& object) {
  return std::any_of(kRuleKeys.begin(), kRuleKeys.end(),
                     [&](const std::string& key) { return object.contains(key); });
}

}  // namespace

Config parse_config(std::string_view text) {
  Config config;
  if (text.empty()) return config;
  try {
    (void)model::json::parse(text);  // bounds the depth
  } catch (const model::ParseError&) {
    throw Error("the configuration of tracing is not valid JSON");
  }
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) throw Error("the configuration of tracing is not valid JSON");
  if (document.is_null()) return config;
  if (is_rule(document)) {
    config.default_rule = read_rule(document, "the rule");
    return config;
  }
  expect_keys(document, {"default", "per_definition", "memory_bytes", "device_bytes"},
              "the configuration of tracing");
  if (document.contains("default")) {
    const json& rule = document.at("default");
    config.default_rule = rule.is_null() ? std::nullopt : std::optional(read_rule(rule, "default"));
  }
  if (document.contains("per_definition")) {
    const json& rules = document.at("per_definition");
    if (!rules.is_object()) throw Error("per_definition has to be an object");
    for (const auto& [name, rule] : rules.items())
      config.per_definition[name] = read_rule(rule, "the rule of " + name);
  }
  config.memory_bytes = read_bytes(document, "memory_bytes", config.memory_bytes);
  config.device_bytes = read_bytes(document, "device_bytes", config.device_bytes);
  return config;
}

std::optional<Rule> rule_for(const Config& config, const model::Definition& definition) {
  const auto own = config.per_definition.find(definition.name);
  const auto& change = own != config.per_definition.end() ? own->second : config.default_rule;
  if (!change) return std::nullopt;
  Rule rule = preset_for(definition);
  rule.dump = change->dump.value_or(rule.dump);
  rule.filter = change->filter.value_or(rule.filter);
  Names inputs;
  for (const auto& input : definition.inputs) inputs.push_back(input.name);
  for (const auto& name : rule.dump.names) {
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      throw Error("{} has no input \"{}\", which input_dump_policy names{}", definition.name, name,
                  util::did_you_mean(name, inputs));
  }
  return rule;
}

bool takes(const DumpPolicy& policy, const model::TensorSpec& input) {
  switch (policy.kind) {
    case DumpPolicy::Kind::all:
      return true;
    case DumpPolicy::Kind::integers: {
      const auto dtype = tensor::dtype_from_name(input.dtype);
      return dtype && !tensor::is_floating(*dtype);
    }
    case DumpPolicy::Kind::named:
      return std::find(policy.names.begin(), policy.names.end(), input.name) != policy.names.end();
    default:
      return false;
  }
}

}  // namespace fib::tracing
