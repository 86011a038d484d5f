#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"
#include "dataset/speedup.h"
#include "model/trace.h"
#include "report/remarks.h"

// One record of a dataset with all that belongs to it. `dataset` is what dataset::load_without_results()
// gives and must outlive the views; traces are read from their files, and lines that cannot be read are
// described in `unreadable`. Of the filter, what names the record (definitions, solutions) is replaced. Throw
// Error when a file cannot be read. Of a key's results the one that stands is taken where the filter has that
// choice, else the latest; show_trace() has them all.
namespace fib::report {

// A result, with the author of its solution. Logs are kept of what failed in SolutionView, and in TraceView.
struct Shown {
  model::Trace trace;                 // has a solution and an evaluation
  std::optional<std::string> author;  // nothing: the solution is not in the dataset
  std::optional<dataset::SpeedupRange> speedup_range = std::nullopt;  // nothing: not known
};

// A solution on one hardware, by one result of each workload.
struct Tally {
  std::string solution;
  std::optional<std::size_t> rank;  // as dataset::RankedSolution has it
  std::optional<std::string> author;
  std::string hardware;
  std::size_t passed = 0;  // workloads
  std::size_t failed = 0;
  std::optional<double> best_ms;  // the lowest latency
  std::optional<double> mean_ms;  // the geometric mean
};

struct DefinitionView {
  std::string path;  // of the dataset
  const model::Definition* definition = nullptr;
  std::size_t workloads = 0;
  std::vector<Tally> tallies;  // by hardware, then as dataset::Contest ranks
  Remarks remarks = {};
  // Those that the filter holds without a result that passes it; by name.
  std::vector<std::string> untried = {};
};

struct SolutionView {
  std::string path;
  const model::Solution* solution = nullptr;
  std::vector<Shown> results;  // one of each workload and hardware; by hardware, then as the dataset has them
  Remarks remarks = {};
  // Where the dataset has none at all: the last run that left it out, or tried it in vain, and why; "" where
  // none is recorded.
  std::string skipped_by = {};
  std::string skipped_why = {};
};

struct WorkloadView {
  std::string path;
  std::string definition;
  model::Workload workload;
  std::vector<Shown> results;  // one of each solution and hardware; by hardware, fastest first, then failures
};

struct TraceView {
  std::string path;
  std::string solution;
  std::optional<std::string> author;
  std::string workload;              // uuid
  std::vector<model::Trace> traces;  // oldest first; not empty
};

// Nothing when the dataset has no such definition.
[[nodiscard]] std::optional<DefinitionView> show_definition(const dataset::Dataset& dataset,
                                                            const std::string& name,
                                                            const dataset::Filter& filter,
                                                            std::vector<std::string>& unreadable);
[[nodiscard]] std::optional<SolutionView> show_solution(const dataset::Dataset& dataset,
                                                        const std::string& name,
                                                        const dataset::Filter& filter,
                                                        std::vector<std::string>& unreadable);

constexpr std::size_t kShortestUuidPrefix = 4;  // characters

// A workload by its uuid or at least kShortestUuidPrefix characters that it begins with. A whole uuid means
// nothing else that begins with it. Workloads of traces alone are found too. Throws Error, naming all, when
// it means several, and when `uuid` is too short. The filter's definitions count here.
[[nodiscard]] std::optional<WorkloadView> show_workload(const dataset::Dataset& dataset,
                                                        const std::string& uuid,
                                                        const dataset::Filter& filter,
                                                        std::vector<std::string>& unreadable);

// All results of a solution, which need not be in the dataset, on a workload, named as above. Nothing when
// there are none; `tried` then has the uuids on which it has some.
[[nodiscard]] std::optional<TraceView> show_trace(const dataset::Dataset& dataset,
                                                  const std::string& solution, const std::string& uuid,
                                                  const dataset::Filter& filter,
                                                  std::vector<std::string>& unreadable,
                                                  std::vector<std::string>& tried);

}  // namespace fib::report
