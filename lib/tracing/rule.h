#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/definition.h"

// Which calls are kept, and with the values of which inputs; docs/tracing.md explains it to users.
namespace fib::tracing {

// Of which inputs a workload gets the values. All others are random in it, except scalars, which are always
// recorded.
struct DumpPolicy {
  enum class Kind { all, none, integers, named };
  Kind kind = Kind::none;
  std::vector<std::string> names;  // of kind named
};

// Which calls of a definition are kept, in the order in which they arrive.
struct FilterPolicy {
  enum class Kind {
    all,
    none,
    first,          // k calls
    first_by_axes,  // k calls for each combination of values of the variable axes
    attention,      // k calls for each key that Filter describes
  };
  Kind kind = Kind::all;
  std::int64_t k = 1;  // at least 1
};

struct Rule {
  DumpPolicy dump;
  FilterPolicy filter;
};

// A rule as it is configured; what it does not say is the preset's (presets.h).
struct RuleChange {
  std::optional<DumpPolicy> dump;
  std::optional<FilterPolicy> filter;
};

struct Config {
  // Of definitions that per_definition does not name; nothing: they are not traced.
  std::optional<RuleChange> default_rule = RuleChange{};
  std::map<std::string, RuleChange> per_definition;
  std::uint64_t memory_bytes = std::uint64_t{512} << 20U;  // of kept calls that are not yet written
  std::uint64_t device_bytes = std::uint64_t{128} << 20U;  // of copies on devices, all devices together
};

// Reads a configuration, JSON: "" and "null" are the usual one; an object with the keys of a rule is the
// default rule; else "default", "per_definition", "memory_bytes", "device_bytes", all optional. A rule has
// "input_dump_policy", "input_dump_policy_kwargs", "filter_policy" and "filter_policy_kwargs". Throws Error
// for what it does not know, and for k below 1.
[[nodiscard]] Config parse_config(std::string_view text);

// The rule for a definition; nothing when it is not traced. Throws Error when the rule names an input that it
// does not have.
[[nodiscard]] std::optional<Rule> rule_for(const Config& config, const model::Definition& definition);

// Whether the policy takes this input, which is no scalar.
[[nodiscard]] bool takes(const DumpPolicy& policy, const model::TensorSpec& input);

}  // namespace fib::tracing
