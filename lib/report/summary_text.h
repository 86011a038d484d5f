#pragma once

#include <string>
#include <vector>

#include "present/document.h"
#include "report/summary.h"

namespace fib::report {

// Which tables of a summary are shown.
enum class SummaryPart { all, authors, solutions, counts };

// The whole summary. Csv holds one table: the authors, or the solutions or the counts when only these are
// asked for. Pure.
[[nodiscard]] std::string render_summary(const std::vector<DatasetSummary>& datasets, SummaryPart part,
                                         present::Format format, const present::TextStyle& style);

// What the columns of the authors' ranking mean, a line each; `yardstick`: "baseline", "reference", or both.
[[nodiscard]] std::vector<std::string> author_notes(const std::string& yardstick);

// "No baseline solution from author 'baseline' for definition 'd1'; speedups are against the reference.";
// empty when the ranking is against the baseline.
[[nodiscard]] std::string explain(const AuthorRanking& ranking);

}  // namespace fib::report
