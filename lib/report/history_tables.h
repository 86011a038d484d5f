#pragma once

#include <nlohmann/json.hpp>

#include "present/table.h"
#include "report/history.h"

// The tables of a history, for people and programs. All functions are pure.
namespace fib::report {

// evaluation.fib.config as it is when `fib run` is told nothing: what differs is worth a remark.
struct ConfigDefaults {
  nlohmann::ordered_json cpu;
  nlohmann::ordered_json cuda;
  // How many calls older versions made when they were told nothing: usual where a run says how many.
  nlohmann::ordered_json calls = nlohmann::ordered_json::object();
};

enum class Seed { hidden, shown };

// A row for each run, in the order in which they began. People see the beginning of an id, as much as tells
// it from the others.
[[nodiscard]] present::Table runs_table(const DatasetHistory& history, const ConfigDefaults& defaults);

// The row of one run that has these names.
[[nodiscard]] present::Table run_table(const HistoryRun& run, const std::vector<std::string>& baselines,
                                       const ConfigDefaults& defaults);

// The dataset's baselines by name, with the run that each means.
[[nodiscard]] present::Table baselines_table(const DatasetHistory& history);

// What became of a run's evaluations: a row for each definition, point of the sweep and solution.
[[nodiscard]] present::Table standings_table(const HistoryRun& run);

// The record's document; without its seed unless that shall be shown.
[[nodiscard]] nlohmann::ordered_json public_record(const dataset::RunRecord& record, Seed seed);

// The same as keys and values, "config.rtol" for one that lies deeper.
[[nodiscard]] present::Table record_table(const HistoryRun& run, Seed seed);

}  // namespace fib::report
