#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Who won: the rule by which solutions of one definition are ranked on one hardware. docs/reports.md says it
// in words.
namespace fib::dataset {

// What stands of one solution on one workload.
struct RankedResult {
  bool passed = false;
  double latency_ms = 0;  // of a result that passed; not finite or not positive: unknown
  // Within which share of the latency another run's lies, in 95 of 100 cases; nothing: unknown.
  std::optional<double> interval = std::nullopt;
};

// A solution in the ranking.
struct RankedSolution {
  std::string solution;
  // From 1; those whose intervals overlap with the first of a rank share it. Nothing: the solution has not
  // passed every workload on which any solution has a result, or a latency is not known.
  std::optional<std::size_t> rank;
  std::size_t passed = 0;            // workloads
  std::size_t workloads = 0;         // on which any solution has a result
  std::optional<double> latency_ms;  // the geometric mean over what passed; nothing: nothing did
  // The geometric means of the ends of the intervals; without an interval its end is the latency itself.
  std::optional<double> low_ms;
  std::optional<double> high_ms;
};

// Collects the results of one definition on one hardware. One thread at a time.
class Contest {
 public:
  // One result of a solution on a workload; of several all have to pass, and the last one's latency counts.
  void add(const std::string& solution, const std::string& workload, const RankedResult& result);

  // Those with a rank, by latency and then by name; then the others, by how many workloads they passed, then
  // by latency and name.
  [[nodiscard]] std::vector<RankedSolution> ranking() const;

 private:
  std::map<std::string, std::map<std::string, RankedResult>> results_;  // by solution and workload
  std::set<std::string> workloads_;
};

// exp of the mean of the logarithms; of one value the value itself. `values` is not empty.
[[nodiscard]] double geometric_mean(const std::vector<double>& values);

// Whether a latency, in any unit, is one: finite and above 0.
[[nodiscard]] bool is_latency(double value);

}  // namespace fib::dataset
