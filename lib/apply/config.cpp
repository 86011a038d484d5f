#include "apply/config.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/errors.h"
#include "model/json_value.h"
#include "util/error.h"

namespace fib::apply {
namespace {

using nlohmann::json;

constexpr std::pair<MissPolicy, const char*> kPolicies[] = {
    {MissPolicy::kFallbackOnly, "fallback_only"},
    {MissPolicy::kUseDefBest, "use_def_best"},
    {MissPolicy::kNearest, "nearest"},
};

double limit(const json& value) {
  if (!value.is_number() || !(value.get<double>() > 0)) throw Error("has to be a number above 0");
  return value.get<double>();
}

double tolerance(const json& value) {
  if (!value.is_number() || !(value.get<double>() >= 0)) throw Error("has to be a number of at least 0");
  return value.get<double>();
}

double share(const json& value) {
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1))
    throw Error("has to be a number from 0 to 1");
  return value.get<double>();
}

bool yes_or_no(const json& value) {
  if (!value.is_boolean()) throw Error("has to be true or false");
  return value.get<bool>();
}

std::string word(const json& value) {
  if (!value.is_string() || value.get<std::string>().empty())
    throw Error("has to be a text that is not empty");
  return value.get<std::string>();
}

MissPolicy policy(const json& value) {
  for (const auto& [known, name] : kPolicies) {
    if (value == name) return known;
  }
  throw Error("has to be \"fallback_only\", \"use_def_best\" or \"nearest\"");
}

void read_key(Config& config, const std::string& key, const json& value) {
  if (key == "max_atol") {
    config.max_atol = value.is_null() ? std::nullopt : std::optional(limit(value));
  } else if (key == "max_rtol") {
    config.max_rtol = value.is_null() ? std::nullopt : std::optional(limit(value));
  } else if (key == "aot_ratio") {
    config.aot_ratio = share(value);
  } else if (key == "on_miss_policy") {
    config.on_miss = policy(value);
  } else if (key == "hardware") {
    config.hardware = word(value);
  } else if (key == "require_hash") {
    config.require_hash = yes_or_no(value);
  } else if (key == "require_trust") {
    config.require_trust = yes_or_no(value);
  } else if (key == "verify_first") {
    config.verify_first = yes_or_no(value);
  } else if (key == "verify_rate") {
    config.verify_rate = share(value);
  } else if (key == "verify_atol") {
    config.verify_atol = tolerance(value);
  } else if (key == "verify_rtol") {
    config.verify_rtol = tolerance(value);
  } else {
    throw Error("is no key of a configuration");
  }
}

Config read_config(const json& value, const std::string& where) {
  if (!value.is_object())
    throw Error("{}has to be an object", where.empty() ? "the configuration " : where + ": ");
  Config config;
  for (const auto& [key, entry] : value.items()) {
    try {
      read_key(config, key, entry);
    } catch (const Error& error) {
      throw Error("{}{}: {}", where.empty() ? "" : where + ".", key, error.what());
    }
  }
  return config;
}

json parsed(std::string_view text) {
  try {
    (void)model::json::parse(text);  // bounds the depth
    return json::parse(text);
  } catch (const json::exception& error) {
    throw Error("the configuration is no JSON: {}", error.what());
  } catch (const model::ParseError& error) {
    throw Error("the configuration is no JSON: {}", error.what());
  }
}

}  // namespace

const char* name_of(MissPolicy policy) {
  for (const auto& [known, name] : kPolicies) {
    if (known == policy) return name;
  }
  return "";
}

const Config* Registry::find(const std::string& definition) const {
  const auto own = per_definition.find(definition);
  if (own != per_definition.end()) return &own->second;
  return fallback ? &*fallback : nullptr;
}

Registry parse_registry(std::string_view text) {
  Registry registry;
  if (text.empty()) return registry;
  const json document = parsed(text);
  if (!document.is_object()) throw Error("the configuration has to be an object");
  const bool is_registry = document.contains("default") || document.contains("per_definition");
  if (!is_registry) {
    registry.fallback = read_config(document, "");
    return registry;
  }
  registry.fallback = std::nullopt;
  for (const auto& [key, value] : document.items()) {
    if (key == "default") {
      if (!value.is_null()) registry.fallback = read_config(value, "default");
    } else if (key == "per_definition") {
      if (!value.is_object()) throw Error("per_definition: has to be an object");
      for (const auto& [name, entry] : value.items())
        registry.per_definition[name] = read_config(entry, "per_definition." + name);
    } else {
      throw Error("{}: is no key of a configuration", key);
    }
  }
  return registry;
}

std::string to_json(const Config& config) {
  const auto number = [](const std::optional<double>& value) { return value ? json(*value) : json(nullptr); };
  return nlohmann::ordered_json{
      {"max_atol", number(config.max_atol)},   {"max_rtol", number(config.max_rtol)},
      {"aot_ratio", config.aot_ratio},         {"on_miss_policy", name_of(config.on_miss)},
      {"hardware", config.hardware},           {"require_hash", config.require_hash},
      {"require_trust", config.require_trust}, {"verify_first", config.verify_first},
      {"verify_rate", config.verify_rate},     {"verify_atol", config.verify_atol},
      {"verify_rtol", config.verify_rtol}}
      .dump();
}

}  // namespace fib::apply
