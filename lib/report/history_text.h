#pragma once

#include <string>
#include <vector>

#include "present/document.h"
#include "report/history_tables.h"

namespace fib::report {

// All runs, the newest last. Csv holds one table. Pure.
[[nodiscard]] std::string render_history(const std::vector<DatasetHistory>& histories,
                                         const ConfigDefaults& defaults, present::Format format,
                                         const present::TextStyle& style);

// One run in every dataset that has it: its record and, by definition, what became of its evaluations. Csv
// holds the latter. The record's seed tells all inputs of the run: it is left out unless it shall be shown.
// Pure.
[[nodiscard]] std::string render_run(const std::vector<DatasetHistory>& histories, const std::string& run_id,
                                     const ConfigDefaults& defaults, Seed seed, present::Format format,
                                     const present::TextStyle& style);

// The names that `fib baseline` gave to runs, and what these runs are.
[[nodiscard]] std::string render_baselines(const std::vector<DatasetHistory>& histories,
                                           present::Format format, const present::TextStyle& style);

}  // namespace fib::report
