#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "dataset/load.h"
#include "dataset/queries.h"
#include "dataset/speedup.h"

namespace fib::report {

// Which traces a report is about.
struct Selection {
  std::optional<std::string> hardware = std::nullopt;  // environment.hardware; nothing: all
  std::optional<std::string> op_type = std::nullopt;
  std::optional<std::string> definition = std::nullopt;
  // Whether the dataset's traces are all that were ever made, so that the format's own rules rank (the
  // highest speedup of any trace wins, any failure ever makes a score 0), and not only those that stand.
  bool every_trace = true;
  std::vector<std::string> statuses = {};  // of what is counted (dataset::matches()); ranks take all

  // Traces of unknown definitions have no op type.
  [[nodiscard]] bool holds(const dataset::Dataset& dataset, const dataset::TraceRow& trace) const;
  [[nodiscard]] bool counts(const dataset::Dataset& dataset, const dataset::TraceRow& trace) const;
  [[nodiscard]] bool holds_definition(const dataset::Dataset& dataset, const std::string& name) const;
};

// What the traces of one solution on one workload say.
struct Outcome {
  bool failed = false;        // a trace did not pass
  double latency_ms = 0;      // the lowest of the passing traces; 0: none
  double speedup_factor = 0;  // of the fastest trace for which the reference was timed; 0: none
  std::optional<dataset::SpeedupRange> speedup_range = std::nullopt;  // of that trace
  double timed_latency_ms = 0;                                        // its latency
  std::optional<double> interval = std::nullopt;                      // of the trace with the lowest latency
};

// What they say of one solution on all workloads of one definition.
struct Outcomes {
  std::map<std::string, Outcome> workloads;  // by uuid
  bool failed = false;
  std::size_t untimed = 0;  // passing traces for which the reference was not timed

  void add(const dataset::TraceRow& trace);
  [[nodiscard]] std::size_t passed() const;  // workloads with passing traces only
  // The geometric mean of latency_ms over these workloads; nothing when there are none or a latency is not
  // positive.
  [[nodiscard]] std::optional<double> mean_latency_ms() const;
};

// Whose solution it is; nothing when the dataset does not hold it.
[[nodiscard]] std::optional<std::string> author_of(const dataset::Dataset& dataset,
                                                   const std::string& solution);

using SolutionOutcomes = std::map<std::string, Outcomes>;            // by solution
using DefinitionOutcomes = std::map<std::string, SolutionOutcomes>;  // by definition

// The outcomes of all selected traces.
[[nodiscard]] DefinitionOutcomes collect(const dataset::Dataset& dataset, const Selection& selection);

// A solution against the reference: the mean of speedup_factor over its workloads, 0 when any trace failed.
// Nothing when no trace failed and the reference was never timed.
[[nodiscard]] std::optional<dataset::Score> reference_score(const Outcomes& outcomes);

// Every author's best solutions against the reference, averaged like dataset::Queries::rank_authors does; the
// same order. Solutions that are not in the dataset have no author and do not count.
[[nodiscard]] dataset::Ranking rank_against_reference(const dataset::Dataset& dataset,
                                                      const DefinitionOutcomes& outcomes);

}  // namespace fib::report
