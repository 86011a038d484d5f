#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/filter.h"
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

// Writes ids in the place of other words for runs ("last", "last~1", beginnings of ids, baselines) in what
// `filter` says of runs. `rows` are the traces below `root`. Throws Error for a word, or a glob of ids, that
// names none. Lines of records of runs that cannot be read become problems, where they are asked for.
void name_runs(Filter& filter, const std::filesystem::path& root, const std::vector<TraceRow>& rows,
               std::vector<Problem>* problems = nullptr);

}  // namespace fib::dataset
