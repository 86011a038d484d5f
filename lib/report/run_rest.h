#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "dataset/runs.h"

namespace fib::report {

// What a run was to do and has no result of.
struct RunRest {
  std::string run_id;
  std::size_t not_done = 0;  // evaluations, as its record says
  bool has_record = true;    // written when a run ends: one that was killed, or still runs, has none
  std::vector<dataset::SkippedInRun> skipped = {};  // solutions that were left out when it was planned
  std::vector<dataset::SkippedInRun> in_vain = {};  // why those are not done, where that is recorded

  // Whether what was planned has come to its end.
  [[nodiscard]] bool is_none() const { return not_done == 0 && has_record; }
  // "3 evaluations of run 2026... have no result (2 of torch_add: it needs torch; ...)", or that nobody knows
  // how many; harmless.
  [[nodiscard]] std::string text() const;
  // "2 solutions were skipped"; "" where none was.
  [[nodiscard]] std::string skipped_text() const;
};

// That of a run of the dataset below `root`. Lines of records that cannot be read are passed over. Throws
// Error when the file of records cannot be read.
[[nodiscard]] RunRest rest_of_run(const std::filesystem::path& root, const std::string& run_id);

// That of the last run on each of these hardwares, or on one that is not told, by the records of the dataset
// below `root`, but for runs that match one of `excluded`, ids or globs: the first that has one; else
// nothing. Runs without a record are passed over: they may have been made elsewhere. Throws as above.
[[nodiscard]] RunRest rest_of_last_runs(const std::filesystem::path& root,
                                        const std::set<std::string>& hardware,
                                        const std::vector<std::string>& excluded);

}  // namespace fib::report
