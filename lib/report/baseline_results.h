#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataset/load.h"
#include "dataset/trace_row.h"

namespace fib::report {

// Where the solutions of a baseline's author have passed: hardware and definition.
using BaselineResults = std::set<std::pair<std::string, std::string>>;
[[nodiscard]] BaselineResults baseline_results(const dataset::Dataset& dataset,
                                               const std::vector<dataset::TraceRow>& rows,
                                               const std::string& baseline_author);

// That a report would compare with solutions of the baseline's author which have no result, on hardware and
// definitions of which `rows` has results of others: a sentence, with what to do. "" where each has one.
// Pure.
[[nodiscard]] std::string missing_baseline_text(const dataset::Dataset& dataset,
                                                const std::vector<dataset::TraceRow>& rows,
                                                const BaselineResults& results,
                                                const std::string& baseline_author);

}  // namespace fib::report
