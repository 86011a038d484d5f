#pragma once

#include <string>
#include <vector>

#include "present/table.h"
#include "report/show.h"

// The tables of `fib report show`. Pure.
namespace fib::report {

[[nodiscard]] present::Table tallies_table(const std::vector<Tally>& tallies);

// Whose results a table shows: its columns for people leave out what they have in common.
enum class ResultsOf { solution, workload, trace };

[[nodiscard]] present::Table results_table(const std::vector<Shown>& results, ResultsOf of);

// The distinct configs of the results as compact JSON, in order; the tables for people hold their numbers,
// from 1.
[[nodiscard]] std::vector<std::string> configs_of(const std::vector<Shown>& results);

[[nodiscard]] present::Table axes_table(const model::Definition& definition);
[[nodiscard]] present::Table tensors_table(const std::vector<model::TensorSpec>& tensors);
[[nodiscard]] present::Table inputs_table(const model::Workload& workload);

}  // namespace fib::report
