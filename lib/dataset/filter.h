#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/axis_condition.h"
#include "dataset/load.h"

namespace fib::dataset {

class StandingResults;

// Whether `name` is one of `patterns` or matches one as a shell glob; an empty list holds everything.
[[nodiscard]] bool matches(const std::vector<std::string>& patterns, const std::string& name);

// The same of a status, by its name.
[[nodiscard]] bool matches_status(const std::vector<std::string>& patterns, model::Status status);

// The same of a workload's uuid, whose beginning, of at least four characters, names it too.
[[nodiscard]] bool matches_uuid(const std::vector<std::string>& patterns, const std::string& uuid);

// Which records of a dataset are meant. Lists hold names or shell globs; an empty list holds everything.
// Records of unknown definitions have no op type, traces of unknown solutions no author.
struct Filter {
  std::vector<std::string> definitions = {};
  std::vector<std::string> solutions = {};
  std::vector<std::string> authors = {};
  std::vector<std::string> op_types = {};
  std::vector<std::string> workloads = {};             // uuids
  std::vector<std::string> excluded_definitions = {};  // these are not held; empty: all may be
  std::vector<std::string> excluded_solutions = {};
  std::vector<AxisCondition> conditions =
      {};  // all hold for the workload's axes, or the definition's constant ones
  std::vector<std::string> statuses = {};  // "PASSED", ...
  std::vector<std::string> hardware = {};
  std::optional<std::int64_t> since =
      {};  // microseconds since 1970 in UTC; traces without a readable time are older
  // Ids, or globs of them. What else names a run (named_runs.h) has to become one by name_runs() first.
  std::vector<std::string> excluded_runs = {};           // empty: none
  std::optional<std::string> run = {};                   // the only run that is held; nothing: all
  std::shared_ptr<const StandingResults> standing = {};  // only traces that stand; null: all

  // `definitions` are those of the dataset; of its traces, `solutions` tells the author.
  [[nodiscard]] bool holds_definition(const Dataset& dataset, const std::string& name) const;
  [[nodiscard]] bool holds_solution(const Dataset& dataset, const model::Solution& solution) const;
  [[nodiscard]] bool holds_trace(const Dataset& dataset, const model::Trace& trace) const;
  [[nodiscard]] bool holds_trace(const Dataset& dataset, const TraceRow& trace) const;
  // The conditions alone.
  [[nodiscard]] bool holds_axes(const Dataset& dataset, const std::string& definition,
                                const model::Workload& workload) const;
  // Whether the definition, the uuid and the axes are held.
  [[nodiscard]] bool holds_workload(const Dataset& dataset, const std::string& definition,
                                    const model::Workload& workload) const;
  // Whether the run of this id (null: not recorded) is excluded, or is not the only one that is held.
  [[nodiscard]] bool excludes_run(const std::string* run_id) const;
  // Whether it holds everything, or everything that stands.
  [[nodiscard]] bool is_empty() const;
  // What the definition and the solution (null: none) alone decide: false means that holds_trace() is false.
  [[nodiscard]] bool may_hold(const Dataset& dataset, const std::string& definition,
                              const std::string* solution) const;

 private:
  [[nodiscard]] bool holds_evaluation(model::Status status, const std::string& hardware,
                                      const std::string& timestamp) const;
  [[nodiscard]] bool holds_without_result() const;
};

// The dataset as if only these records existed: other definitions, workloads, solutions and traces go. The
// solutions of `yardstick` and their traces stay whatever is said of solutions and authors, for others are
// compared with them; empty: nobody's.
void restrict_to(Dataset& dataset, const Filter& filter, const std::string& yardstick = "");

}  // namespace fib::dataset
