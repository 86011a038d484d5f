#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/engine_check.h"
#include "dataset/load.h"

namespace fib::cmd {

// The workloads of one definition for a check that runs its reference.
struct CheckedWorkloads {
  std::vector<bench::EngineCase> cases;  // they point into the dataset
  bool proposed = false;                 // they are not the dataset's
  std::string why_none;                  // where there are none
};

// The dataset's workloads of the definition; where it has none, at most `synthesize` proposed ones.
[[nodiscard]] CheckedWorkloads workloads_to_check(const dataset::Dataset& dataset,
                                                  const model::Definition& definition,
                                                  std::size_t synthesize);

// What is to be run, and in whose check its result belongs.
template <typename Check>
struct PlannedCases {
  std::vector<bench::EngineCase> cases;
  std::vector<Check*> owners;  // of each case
};

// The cases of these definitions (by the names in their documents), with a check in `checks` for each, which
// says why where there is none to run. A Check has `no_workloads` and `proposed`.
template <typename Check>
[[nodiscard]] PlannedCases<Check> plan_cases(const dataset::Dataset& dataset,
                                             const std::vector<std::string>& names, std::size_t synthesize,
                                             std::map<std::string, Check>& checks) {
  PlannedCases<Check> plan;
  for (const auto& name : names) {
    Check& check = checks[name];
    const auto definition = dataset.definitions.find(name);
    if (definition == dataset.definitions.end()) {
      check.no_workloads = "the definition cannot be read (see the check definition)";
      continue;
    }
    auto workloads = workloads_to_check(dataset, definition->second, synthesize);
    check.no_workloads = workloads.why_none;
    check.proposed = workloads.proposed;
    for (auto& one : workloads.cases) {
      plan.cases.push_back(std::move(one));
      plan.owners.push_back(&check);
    }
  }
  return plan;
}

// "interrupted: the reference check looked at 3 of 14 workloads".
[[nodiscard]] std::string interruption(const std::string& check, std::size_t done, std::size_t planned);

// The sentence of a failure, without the lines that follow: an engine's output, a traceback.
[[nodiscard]] std::string sentence_of(const std::string& failure);

}  // namespace fib::cmd
