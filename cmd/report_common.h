#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "choice.h"
#include "dataset/load.h"
#include "filters.h"
#include "present/document.h"
#include "report/baseline_results.h"
#include "report/outcomes.h"

// What the commands that only read datasets share.
namespace fib::cmd {

struct ReadOptions {
  std::vector<std::string> local;
  present::Format format = present::Format::table;
  bool strict_load = false;
};

// A check for options: a finite number of at least `least`; above it, when `above` says so.
[[nodiscard]] CLI::Validator number_check(double least, bool above);

// What every help page of such a command ends with.
inline constexpr const char* kLocalDefault =
    "Default of --local: FIB_DATASET_PATH, then ~/.cache/flashinfer_bench/dataset.\n";

void add_read_options(CLI::App& app, ReadOptions& options);

// The folders that --local names, or the default dataset. Throws Error for a missing one.
[[nodiscard]] std::vector<std::string> dataset_folders(const ReadOptions& options);

// Prints the first ten of `errors` to stderr, a line each, and how many more there are in `root`; nothing
// when --log-level keeps errors out.
void print_errors(const std::vector<std::string>& errors, const std::string& root);

// Loads what --local names, or the default dataset. Problems go to stderr, the first ten of each dataset.
// Throws Error for a missing folder, and under --strict-load for anything that cannot be loaded.
[[nodiscard]] std::vector<dataset::Dataset> load_datasets(const ReadOptions& options);

// That of this name. Throws Error naming near ones when there is none.
[[nodiscard]] const model::Definition& find_definition(const dataset::Dataset& dataset,
                                                       const std::string& name);

// Which records a report is about.
struct FilterOptions {
  RecordFilter records;
  std::optional<std::string> op_type;
  std::optional<std::string> definition;
  TraceChoice choice = TraceChoice::standing;
};

// Warns where the filter's hardware has no results in any of the datasets, and says which has. That is no
// error, as it may have some tomorrow; but a name may be misspelt.
void note_hardware(const dataset::Filter& records, const std::vector<dataset::Dataset>& datasets);
// Warns, where the filter names hardware, that the dataset below `root` has no results of it.
void note_hardware(const dataset::Filter& records, const std::string& root);

// The choice of traces that was made for one dataset.
struct ChosenTraces {
  std::shared_ptr<const dataset::StandingResults> standing;  // null: every trace counts
  report::Selection asked_for = {};                          // what the report is about, of all hardware
  std::string baseline_author = {};                          // "": it compares with none
  report::BaselineResults baseline_results = {};

  // One for each hardware that has traces of it, or of very many those with the most: report/hardware.h.
  [[nodiscard]] std::vector<report::Selection> selections(const dataset::Dataset& dataset) const;
  // Of the traces that it is about.
  [[nodiscard]] report::Remarks remarks(
      const dataset::Dataset& dataset,
      report::HasReferences has_references = report::HasReferences::yes) const;
};

// Leaves in the datasets the traces that count and what the options hold, and the solutions of the author
// `yardstick`. The choice made for each dataset, in their order. Throws Error when the options name something
// that no dataset has.
[[nodiscard]] std::vector<ChosenTraces> apply_filters(const FilterOptions& filters,
                                                      std::vector<dataset::Dataset>& datasets,
                                                      const std::string& yardstick = "");

// How stdout is written: width of the terminal (COLUMNS where it is set), no limit when it is none; bold
// where wants_color() says so.
[[nodiscard]] present::TextStyle stdout_style();

// Writes all of `text` to stdout. Throws Error when that fails.
void print_result(const std::string& text);

}  // namespace fib::cmd
