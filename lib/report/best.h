#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "dataset/queries.h"
#include "dataset/ranking.h"
#include "dataset/speedup.h"
#include "model/definition.h"
#include "report/outcomes.h"

namespace fib::report {

enum class BestOf {
  definition,  // one trace a definition
  workload,    // one trace a workload of each definition
};

struct BestOptions {
  Selection selection = {};     // with a hardware: traces of different hardware are never compared
  model::AxisValues axes = {};  // a workload must have these values
  std::optional<dataset::ErrorLimits> limits = std::nullopt;  // nothing: the verdict alone counts
  BestOf best_of = BestOf::definition;
};

// The solution that won a definition, by the results that stand.
struct Winner {
  dataset::RankedSolution result;
  std::vector<std::string> ties;  // those that share its rank
  // The next solution that passed every workload, and its latency / that of the winner; nothing: there is
  // none.
  std::optional<std::string> second;
  std::optional<double> lead;
  std::optional<double>
      speedup;  // against the reference: geometric mean over workloads; nothing: not timed on all
  std::optional<dataset::SpeedupRange> speedup_range;
  std::optional<double> max_absolute_error;  // the highest of all workloads
  std::optional<double> max_relative_error;
};

// The best trace of one definition, or of one of its workloads.
struct Best {
  std::string definition;
  std::optional<std::string> workload;       // uuid, for BestOf::workload
  const dataset::TraceRow* trace = nullptr;  // into the dataset; null: no valid solution
  std::optional<std::string> author;         // nothing: the solution is not in the dataset
  std::optional<Winner> winner;              // in place of a trace: of a definition, by results that stand
  std::string reason;                        // why there is neither, where more is known than that
  // Of a workload, by results that stand: the solutions whose intervals overlap with that of `trace`.
  std::vector<std::string> ties = {};
  [[nodiscard]] bool is_found() const { return trace != nullptr || winner; }
};

// What is best of the selected traces, for every definition that has any; by definition, then by the sizes
// of workloads (model/workload_order.h). Of the results that stand a definition's best is the winner of
// dataset::Contest, and a workload's the lowest latency. Of every trace, the best of a definition is that of
// dataset::Queries::best_trace (the highest speedup factor); where the reference was never timed, it is the
// one with the lowest latency. Among the traces of one workload the lower latency wins a tie.
[[nodiscard]] std::vector<Best> find_best(const dataset::Dataset& dataset, const dataset::Queries& queries,
                                          const BestOptions& options);

// The selected definitions of the dataset that have no trace on any hardware; by name.
[[nodiscard]] std::vector<std::string> untried_definitions(const dataset::Dataset& dataset,
                                                           const Selection& selection);

}  // namespace fib::report
