#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "dataset/load.h"
#include "present/table.h"
#include "report/details.h"
#include "report/drift.h"

// What `fib run` says of its own results, beside what the dataset knew before. All functions are pure.
namespace fib::report {

// The traces of a dataset before a run: what each evaluation is compared with.
class EarlierResults {
 public:
  // Keeps pointers to the dataset's traces, which must outlive this object.
  explicit EarlierResults(const dataset::Dataset& dataset);

  // The latest trace of the same hardware, definition, solution (of whatever source), workload and
  // conditions, with a row of the dataset's pool. Null: there is none, or `row` is a point of an option
  // sweep.
  [[nodiscard]] const dataset::TraceRow* before(const dataset::TraceRow& row) const;
  // The same of those that passed: of a result that failed before, what it was when it last passed.
  [[nodiscard]] const dataset::TraceRow* passed_before(const dataset::TraceRow& row) const;

 private:
  using Key =
      std::tuple<const std::string*, const std::string*, const std::string*, std::string, const std::string*>;
  static Key key_of(const dataset::TraceRow& row);
  [[nodiscard]] const dataset::TraceRow* latest_before(const dataset::TraceRow& row, bool only_passed) const;

  std::map<Key, std::vector<const dataset::TraceRow*>> earlier_;  // in the order of the dataset
};

// The line of the log that says why an evaluation failed: of COMPILE_ERROR the first, else the last;
// harmless. "" where the log is empty.
[[nodiscard]] std::string failure_reason(model::Status status, const std::string& log);

// The reason without the rule that judged, which stands at its end in parentheses: for a line with little
// room.
[[nodiscard]] std::string without_rule(const std::string& reason);

// One evaluation in one line, without its name: "PASSED 0.00231 ms ±0.4%, 2.31x the reference, 12.1% faster
// than before". Latencies whose intervals overlap are "as before". Where the source is that of before, this
// is said with a change.
[[nodiscard]] std::string result_text(const Detail& result, const EarlierResults& earlier);

// What results of the same source say of the machine: a sentence for a drift and one for scatter that are
// worth telling. Harmless.
[[nodiscard]] std::vector<std::string> drift_notes(const Drift& drift);

// A run's results in one dataset: for each hardware a table of solutions by definition, with the rank that
// the solution has among all results that stand now; below, what the machine did to results of the same
// source since those before (drift.h; the table's changes are judged with its scatter), which winners the run
// did not try, and what makes its results doubtful. Text for a terminal; "" when there are no results.
// `dataset` is as it was before the run, with its traces.
[[nodiscard]] std::string render_run_results(const dataset::Dataset& dataset, const EarlierResults& earlier,
                                             const std::vector<Detail>& results,
                                             const present::TextStyle& style);

}  // namespace fib::report
