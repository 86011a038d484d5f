#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/records.h"

namespace fib::dataset {

// A name that `fib baseline set` gave to a run, so that later runs can be compared with it.
struct BaselineRun {
  std::string name;
  std::string run_id;
  std::string set_utc;  // ISO 8601
};

// `name` when it can name a baseline. Throws Error when it is not 1 to 64 letters, digits, ".", "_" and "-"
// beginning with a letter, or is "last", which names a run already.
[[nodiscard]] std::string checked_baseline_name(std::string_view name);

// The baselines that runs/baselines.jsonl below `root` tells of, by name; none where there is no such file.
// Of several lines of one name the one that was written last counts, by its time and then by its place; a
// line without a run takes the name away. A line that is no record of a baseline costs itself and becomes a
// problem. Throws Error when the file cannot be read.
[[nodiscard]] std::vector<BaselineRun> read_baselines(const std::filesystem::path& root,
                                                      std::vector<Problem>& problems);

// Appends what `name` means from now on: a run, or nothing more. The time is now. Throws Error when `name`
// cannot name a baseline and when the file cannot be written.
void write_baseline(const std::filesystem::path& root, const std::string& name,
                    const std::optional<std::string>& run_id);

// The run of each name.
[[nodiscard]] std::map<std::string, std::string> runs_by_name(const std::vector<BaselineRun>& baselines);

// The names of a run, in the order of the alphabet; none of most runs.
[[nodiscard]] std::vector<std::string> names_of_run(const std::vector<BaselineRun>& baselines,
                                                    const std::string& run_id);

// The same of every run that has a name.
[[nodiscard]] std::map<std::string, std::vector<std::string>> names_by_run(
    const std::vector<BaselineRun>& baselines);

}  // namespace fib::dataset
