#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "report/document.h"
#include "report/outcomes.h"

// What the commands that only read datasets share.
namespace fib::cmd {

struct ReadOptions {
  std::vector<std::string> local;
  report::Format format = report::Format::table;
  bool strict_load = false;
};

void add_read_options(CLI::App& app, ReadOptions& options);

// Loads what --local names, or the default dataset. Problems go to stderr, the first ten of each dataset.
// Throws Error for a missing folder, and under --strict-load for anything that cannot be loaded.
[[nodiscard]] std::vector<dataset::Dataset> load_datasets(const ReadOptions& options);

struct FilterOptions {
  std::optional<std::string> hardware;  // a name or a shell glob
  std::optional<std::string> op_type;
  std::optional<std::string> definition;
};

// Throws Error when a filter names something that no dataset has.
void check_filters(const FilterOptions& filters, const std::vector<dataset::Dataset>& datasets);

// One selection for each hardware of the dataset that the filters hold and that has traces of theirs.
[[nodiscard]] std::vector<report::Selection> selections(const FilterOptions& filters,
                                                        const dataset::Dataset& dataset);

// How stdout is written: width of the terminal (COLUMNS where it is set), no limit when it is none; bold only
// on a terminal and without NO_COLOR.
[[nodiscard]] report::TextStyle stdout_style();

// Writes all of `text` to stdout. Throws Error when that fails.
void print_result(const std::string& text);

}  // namespace fib::cmd
