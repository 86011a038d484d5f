#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What Nsight Compute (ncu) has measured of kernels. All functions are pure.
namespace fib::profile {

// What a rule of ncu's own found in a launch.
struct NcuRule {
  std::string name;     // "UncoalescedGlobalAccess"
  std::string section;  // "SourceCounters"
  std::string type;     // "OPT": could be faster, "INF": information, "WRN": a warning
  std::string text;
  std::string scope;                      // of the estimate: "global" is the launch, "local" a part of it
  std::optional<double> speedup_percent;  // as ncu estimates: the share of the time that may be saved
};

// One launch.
struct KernelProfile {
  std::string name;
  std::string grid;                       // "(1056, 1, 1)", in blocks
  std::string block;                      // "(256, 1, 1)", in threads
  std::map<std::string, double> metrics;  // ncu's names and base units: ns, byte, %; finite ones alone
  std::string id{};                       // ncu's number of the launch
  std::vector<NcuRule> rules{};           // in ncu's order

  [[nodiscard]] std::optional<double> metric(const std::string& name) const;
};

// The metrics that classify() and reports look at, for ncu's --metrics.
[[nodiscard]] std::string wanted_metrics();

// The launches in ncu's output with --csv --page raw --print-units base; other lines of the output mean
// nothing. Throws Error when there is a table and it is not one of launches.
[[nodiscard]] std::vector<KernelProfile> read_raw_page(std::string_view output);

// Adds what ncu's output with --csv --page details says of its rules to the launches of the same numbers;
// other lines of the output mean nothing, nor does a table without rules. Throws Error when one has rules
// without texts.
void add_rules(std::vector<KernelProfile>& kernels, std::string_view output);

// Those that say what could be faster: those with the highest estimates for the launch first,
// then the others in ncu's order.
[[nodiscard]] std::vector<NcuRule> advice_of(const KernelProfile& kernel);

// Why ncu has measured nothing, in a sentence with what to do; empty where its output says nothing of it.
[[nodiscard]] std::string why_nothing(std::string_view output);

}  // namespace fib::profile
