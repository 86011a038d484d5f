#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"
#include "dataset/queries.h"
#include "report/remarks.h"
#include "report/summary.h"
#include "roofline/bound.h"

// How near to the roofline bound the solutions of a dataset come.
namespace fib::report {

struct SolQuestion {
  dataset::Filter filter = {};  // the baseline counts also where solutions, authors or statuses leave it out
  std::string baseline_author = dataset::kUsualBaselineAuthor;
  std::optional<double> bytes_per_s = std::nullopt;  // both: instead of what is known of the hardware
  std::optional<double> flops_per_s = std::nullopt;  // for every type of operands
};

// A solution that passed a workload, with its fastest trace.
struct SolPoint {
  std::string solution;
  std::optional<std::string> author;  // nothing: the solution is not in the dataset
  double latency_ms = 0;              // > 0
  std::optional<double> share;        // bound / latency; above 1: faster than the bound
  std::optional<double> baseline_ms;  // what `score` compares with; nothing: nothing to compare with
  Against against = Against::baseline;
  std::optional<double> score;  // see sol_score; exactly 1 for what is faster than the bound
};

struct WorkloadSol {
  std::string definition;
  const model::Workload* workload = nullptr;  // into the dataset
  std::optional<roofline::Work> work;         // nothing: see `reason`
  std::string reason;
  std::optional<roofline::Bound> bound;  // nothing: no peak is known
  std::vector<SolPoint> points;          // fastest first, ties by name
  std::vector<std::string> failed;       // solutions with a trace that did not pass, by name
};

// A solution on all workloads of its definition that were tried. Failed workloads count 0 in both means.
struct SolutionSol {
  std::string definition;
  std::string solution;
  std::optional<std::string> author;
  std::optional<double> mean_score;  // over workloads with a score or a failure; nothing: no score at all
  std::optional<double> mean_share;  // over workloads with a bound
  std::size_t passed = 0;            // workloads
  std::size_t workloads = 0;
};

struct HardwareSol {
  std::string hardware;
  std::optional<roofline::Peak> peak;  // nothing: neither known nor given
  std::vector<WorkloadSol> workloads;  // by definition, then in the order of the traces
  std::vector<SolutionSol> solutions;  // by definition, then by mean score, mean share and name; best first
  std::vector<std::string> unknown;    // definitions with traces that are not in the dataset; by name
};

struct SolReport {
  std::string path;
  Remarks remarks;
  bool has_traces = true;
  std::string baseline_author;
  std::vector<HardwareSol> hardware;  // by name; only those with traces that pass the filter
};

// Whether anything is compared with the reference, for want of a baseline.
[[nodiscard]] bool uses_references(const SolReport& report);

// The baseline of a workload is the passing trace of the baseline author's solution with the lowest latency,
// on the same hardware; of several solutions the only one that may run there. Where there is none, every
// solution is compared with the reference as timed beside its fastest trace, if it was. Pure; the report
// points into the dataset.
[[nodiscard]] SolReport sol_report(const dataset::Dataset& dataset, const SolQuestion& question);

}  // namespace fib::report
