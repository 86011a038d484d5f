#pragma once

#include <optional>
#include <string>
#include <vector>

#include "present/document.h"
#include "report/problems.h"
#include "report/remarks.h"

namespace fib::report {

// What a ranking is ordered by; ties by avg_speedup, then by name.
enum class RankBy { avg_speedup, geomean_speedup, win_rate, success_rate, coverage, fast_1 };

struct RankRow {
  std::string author;
  dataset::Score score;
  double coverage = 0;                   // share of all problems in question that are solved: fast_0
  double fast_1 = 0;                     // share of all problems that are solved faster than the yardstick
  std::optional<std::size_t> rank = {};  // as dataset::ranks_of() has it
};

struct HardwareRanks {
  std::string hardware;
  Against against = Against::baseline;
  std::string reason;  // why it is not against the baseline
  std::vector<RankRow> rows;
};

struct DatasetRanks {
  std::string path;
  Remarks remarks;
  std::vector<HardwareRanks> hardware;  // by name
};

// The authors of a summary with what they solved, ordered. Pure.
[[nodiscard]] std::vector<RankRow> rank_rows(const AuthorRanking& ranking, const ProblemResults& results,
                                             RankBy by);

// `top` rows of each hardware; 0: all. Pure.
[[nodiscard]] std::string render_ranks(const std::vector<DatasetRanks>& datasets, RankBy by, std::size_t top,
                                       present::Format format, const present::TextStyle& style);

}  // namespace fib::report
