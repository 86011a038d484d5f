#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "filters.h"
#include "report/document.h"
#include "report/outcomes.h"

// What the commands that only read datasets share.
namespace fib::cmd {

struct ReadOptions {
  std::vector<std::string> local;
  report::Format format = report::Format::table;
  bool strict_load = false;
};

// An option whose value is one of some words.
template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value, const std::string& description,
                        const std::map<std::string, Value>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, choice] : choices) words.push_back(word);
  const auto take = [&value, choices](const std::string& word) { value = choices.at(word); };
  return app.add_option_function<std::string>(name, take, description)->check(CLI::IsMember(words));
}

// A check for options: a finite number of at least `least`; above it, when `above` says so.
[[nodiscard]] CLI::Validator number_check(double least, bool above);

// What every help page of such a command ends with.
inline constexpr const char* kLocalDefault =
    "Default of --local: FIB_DATASET_PATH, then ~/.cache/flashinfer_bench/dataset.\n";

void add_read_options(CLI::App& app, ReadOptions& options);

// The folders that --local names, or the default dataset. Throws Error for a missing one.
[[nodiscard]] std::vector<std::string> dataset_folders(const ReadOptions& options);

// Prints the first ten of `errors` to stderr, a line each, and how many more there are in `root`.
void print_errors(const std::vector<std::string>& errors, const std::string& root);

// Loads what --local names, or the default dataset. Problems go to stderr, the first ten of each dataset.
// Throws Error for a missing folder, and under --strict-load for anything that cannot be loaded.
[[nodiscard]] std::vector<dataset::Dataset> load_datasets(const ReadOptions& options);

// Which records a report is about.
struct FilterOptions {
  RecordFilter records;
  std::optional<std::string> op_type;
  std::optional<std::string> definition;
};

// Throws Error when the filter names something that no dataset has.
void check_records(const dataset::Filter& records, const std::vector<dataset::Dataset>& datasets);

// Leaves in the datasets what the options hold, and the solutions of the author `yardstick`. Throws Error
// when they name something that no dataset has.
void apply_filters(const FilterOptions& filters, std::vector<dataset::Dataset>& datasets,
                   const std::string& yardstick = "");

// One selection for each hardware of the dataset that the filters hold and that has traces of theirs.
[[nodiscard]] std::vector<report::Selection> selections(const FilterOptions& filters,
                                                        const dataset::Dataset& dataset);

// How stdout is written: width of the terminal (COLUMNS where it is set), no limit when it is none; bold only
// on a terminal and without NO_COLOR.
[[nodiscard]] report::TextStyle stdout_style();

// Writes all of `text` to stdout. Throws Error when that fails.
void print_result(const std::string& text);

}  // namespace fib::cmd
