#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"
#include "dataset/reference_time.h"

// Which results stand: of all traces of a solution on a workload the one that reports count. A dataset keeps
// every trace that was ever made, also of sources that were changed since, of other conditions, and of
// failures that were mended; docs/reports.md says the rule in words.
namespace fib::dataset {

// Where results of several conditions are there: those that rule, and what they keep out.
struct RuledOut {
  std::set<std::string> definitions;
  std::set<std::string> conditions;  // in words: what is kept out
  // The runs since, all under the conditions that rule: without them the latest of the others would. Empty
  // where a trace does not say which run made it, and where such a run made some of the others too: a sweep.
  std::set<std::string> runs;
};

// Traces that do not stand although nothing newer of the same kind is there, by the reason.
struct LeftOut {
  std::size_t other_sources = 0;      // made from another source than the solution has now
  std::set<std::string> outdated;     // the solutions that have no others
  std::size_t unknown_solutions = 0;  // of solutions that are not in the dataset
  std::set<std::string> missing;      // these solutions
  std::size_t other_definitions = 0;  // made when the definition computed something else
  std::size_t other_workloads = 0;    // made when the workload of this uuid had other sizes or inputs
  std::size_t unknown_workloads = 0;  // on workloads that are not in the dataset, beside those that are
  std::size_t without_source = 0;     // no record says from which source, and other traces say it
  std::size_t sweep_points = 0;       // points of an option sweep beside an ordinary run, or before the last
  std::size_t earlier_runs = 0;       // of the present source, which a later run has tried again
  std::map<std::string, std::size_t> other_conditions;  // by the conditions, in words
  std::map<std::string, RuledOut> ruled_out;            // by the conditions that rule, in words

  [[nodiscard]] std::size_t total() const;
};

// How often one source of a solution was run.
struct SourceRuns {
  std::size_t runs = 0;
  std::size_t passed = 0;  // runs in which no evaluation failed
};

// Which workloads results may be on.
enum class WorkloadChoice {
  of_dataset,  // where a definition has results on the dataset's workloads, these alone: for who compares
               // solutions
  all,         // swept sizes, too: for who looks for the best solution of one size
};

// The choice of one dataset. Immutable once made; all functions may be called from any thread.
class StandingResults {
 public:
  // `rows` are the dataset's traces (Dataset::traces or read_results()); both may go afterwards. Of `filter`
  // hardware, time, the run and excluded runs hold before the choice; all else is for the reports to apply
  // after it. Of a run that the filter names results count whatever source they were made from: they say how
  // it was then.
  StandingResults(const Dataset& dataset, const std::vector<TraceRow>& rows, const Filter& filter = {},
                  WorkloadChoice workloads = WorkloadChoice::of_dataset);

  // Whether this trace stands. At most one trace of a hardware, definition, solution and workload does, or
  // several that are equal in all that the rule looks at. Where there are points of a sweep alone, the last
  // one stands.
  [[nodiscard]] bool holds(const TraceRow& row) const;

  [[nodiscard]] const LeftOut& left_out() const { return left_out_; }

  // Where the filter names a run: the solutions whose results of it stand though their source is another now.
  [[nodiscard]] const std::set<std::string>& changed_since_run() const { return changed_since_run_; }

  // The time that the reference took in the run of this result, which stands; null: what the trace recorded
  // itself is all that is known.
  [[nodiscard]] const ReferenceTime* reference_of(const TraceRow& row) const;

  // Gives a result that stands that time, and the speedup and its range that follow from it.
  void settle_reference(TraceRow& row) const;

  // Runs of the source that the solution has now, on this hardware; zeros where no trace tells of any.
  [[nodiscard]] SourceRuns runs_of(const std::string& hardware, const std::string& definition,
                                   const std::string& solution) const;

 private:
  class Choice;

  std::map<std::string, std::string> chosen_;        // by key of hardware, definition, solution, workload
  std::map<std::string, ReferenceTime> references_;  // by the same keys
  std::map<std::string, SourceRuns> source_runs_;    // by key of hardware, definition, solution
  LeftOut left_out_;
  std::set<std::string> changed_since_run_;
};

// Removes from `dataset` all traces that do not stand, and settles the references of the others.
void keep_standing(Dataset& dataset, const StandingResults& standing);

// "12 traces do not count: 7 of other sources (all of scale_fast), 3 of solutions not here, 2 of other
// conditions (flush none)"; "" when there are none.
[[nodiscard]] std::string to_string(const LeftOut& left_out);

// A sentence for each kind of conditions that rules over results of others: whose results these are, and how
// to see the others. "Of gemm only results under flush none count; to count those
// under flush clean: --exclude-run 20260101T000000.000001Z-7"
[[nodiscard]] std::vector<std::string> condition_notes(const LeftOut& left_out);

}  // namespace fib::dataset
