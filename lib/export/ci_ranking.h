#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/load.h"
#include "dataset/speedup.h"
#include "export/ci_results.h"

// Rankings of the summary for GitHub. All functions are pure.
namespace fib::exports {

// A solution of one definition on one hardware.
struct CiStanding {
  std::optional<std::size_t> rank;  // as dataset::RankedSolution has it
  std::string solution;
  std::string author;                // empty: the solution is not in the dataset
  std::optional<double> latency_ms;  // geometric mean over the workloads that passed
  std::optional<double> speedup;     // against the reference: mean over what passed and was compared with it
  std::optional<dataset::SpeedupRange> speedup_range;  // where the times of the reference are known
  std::size_t passed = 0;                              // workloads
  std::size_t workloads = 0;                           // on which any solution has a result
};

struct CiRanking {
  std::string hardware;
  std::string definition;
  std::vector<CiStanding> standings;  // as dataset::Contest orders them
};

// One ranking for each hardware and definition, in the order of `results`.
[[nodiscard]] std::vector<CiRanking> rank_results(const std::vector<CiResult>& results,
                                                  const dataset::Dataset& dataset);

// A blank line, the definition as a heading of the fourth level, and a table; Markdown.
[[nodiscard]] std::string ranking_text(const CiRanking& ranking);

}  // namespace fib::exports
