#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fib::apply {

// What is done for a case that no solution has a result for.
enum class MissPolicy {
  kFallbackOnly,  // the program's own function
  kUseDefBest,    // the solution that is best on most cases
  kNearest,       // the solution of the nearest case (table.h)
};

[[nodiscard]] const char* name_of(MissPolicy policy);  // "fallback_only", "use_def_best", "nearest"

// Which results count for a definition, and what is done with them.
struct Config {
  std::optional<double> max_atol = {};  // of a result's recorded errors; nothing: its verdict suffices
  std::optional<double> max_rtol = {};
  double aot_ratio = 1;  // share of the winners that are built ahead, 0 to 1
  MissPolicy on_miss = MissPolicy::kFallbackOnly;
  std::string hardware = "auto";  // "auto": what the call's device is called; "any"; or a name
  // Results count as reports count them: the latest of the solution's present source. Not set: every passed
  // result counts, as flashinfer-bench has it.
  bool require_hash = true;
  bool require_trust = false;  // the solution's hash must be on the list of `fib apply trust`
  // Which calls are compared with the program's own function (verify.h): the first of each case, and this
  // share of all others, 0 to 1; and how far elements may be apart.
  bool verify_first = false;
  double verify_rate = 0;
  double verify_atol = 1e-2;
  double verify_rtol = 1e-2;

  friend bool operator==(const Config&, const Config&) = default;
};

struct Registry {
  std::optional<Config> fallback =
      Config{};  // of definitions without their own; nothing: they are not handled
  std::map<std::string, Config> per_definition = {};

  // Null: the definition is not handled.
  [[nodiscard]] const Config* find(const std::string& definition) const;
};

// Reads {"default": CONFIG | null, "per_definition": {name: CONFIG}}, or one CONFIG as the default of all, as
// fib.h describes them; "" gives what `Registry` has. Throws Error naming the key that is wrong.
[[nodiscard]] Registry parse_registry(std::string_view json);

// One CONFIG, with every key.
[[nodiscard]] std::string to_json(const Config& config);

}  // namespace fib::apply
