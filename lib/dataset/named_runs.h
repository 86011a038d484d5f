#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/records.h"
#include "dataset/trace_row.h"

namespace fib::dataset {

// The runs of a dataset, as a word of the command line may name them.
struct NamedRuns {
  std::vector<std::string> ids;                  // in the order of RunOrder
  std::map<std::string, std::string> baselines;  // name -> run

  // As dataset::find_run() finds and throws.
  [[nodiscard]] std::optional<std::string> find(const std::string& word) const;
};

// Those that the records below `root` and `rows`, its traces, tell of: a run in which nothing was evaluated
// is one too. Lines that cannot be read become problems. Throws Error when a file cannot be read.
[[nodiscard]] NamedRuns named_runs(const std::filesystem::path& root, const std::vector<TraceRow>& rows,
                                   std::vector<Problem>& problems);

}  // namespace fib::dataset
