#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/records.h"

namespace fib::dataset {

// What a line of runs/runs.jsonl tells of a repository.
struct RunCommit {
  std::optional<std::string> commit;
  std::optional<std::string> branch;
};

// A solution that a run left out when it was planned (the machine could not run it, or the dataset lacks what
// it needs), or of which it tried evaluations in vain.
struct SkippedInRun {
  std::string solution;
  std::string reason;
  std::size_t evaluations = 0;  // that were tried in vain
};

// One run of `fib run`, as its line in runs/runs.jsonl tells it: written when the run ended, so that a run
// that was killed has none. Counts are those of the whole run, which may have had several datasets. What a
// record does not say, or says in a form that is not its own, is empty.
struct RunRecord {
  std::string run_id;
  std::string started_utc;  // ISO 8601
  std::string ended_utc;
  std::string hardware;  // environment.hardware of its traces
  std::string device;    // "cpu", "cuda"
  std::string host;
  std::optional<RunCommit> dataset_git;  // of the dataset that the record lies in
  std::optional<std::size_t> definitions;
  std::optional<std::size_t> solutions;
  std::optional<std::size_t> finished;  // evaluations with a trace
  std::optional<std::size_t> passed;
  std::map<std::string, std::size_t> failed;  // by status
  std::optional<std::size_t> not_done;        // planned, and without a trace
  std::vector<SkippedInRun> skipped;          // when it was planned
  std::vector<SkippedInRun> in_vain;          // once for each reason
  bool interrupted = false;
  std::string
      ended_early;  // why the rest of the plan was not tried: "--max-time: 60 s are over"; empty: it was
  nlohmann::ordered_json config;    // an object, or null
  nlohmann::ordered_json sweep;     // swept option or axis -> its values; null: nothing was swept
  nlohmann::ordered_json tags;      // key -> text, as --tag said; null: none
  nlohmann::ordered_json document;  // the whole line, with keys that nobody knows, and with the run's seed
};

// The runs that runs/runs.jsonl below `root` tells of, in the order in which they began; none where there is
// no such file. A line that is no record of a run costs itself and becomes a problem, and so does a second,
// different line of the same run. Throws Error when the file cannot be read.
[[nodiscard]] std::vector<RunRecord> read_runs(const std::filesystem::path& root,
                                               std::vector<Problem>& problems);

}  // namespace fib::dataset
