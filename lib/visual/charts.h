#pragma once

#include <algorithm>
#include <tuple>

#include "chart/bar_chart.h"
#include "chart/box_chart.h"
#include "chart/histogram.h"
#include "chart/line_chart.h"
#include "chart/matrix_chart.h"
#include "chart/roofline_chart.h"
#include "visual/scene.h"

// The charts of a scene, as values. All functions are pure.
namespace fib::visual {

// Authors by the mean of their best solutions' speedups.
[[nodiscard]] chart::BarChart authors_chart(const HardwareScene& hardware);

// fast_p over p, a step at every speedup; p from 0.1 to the highest speedup. First come those with most
// problems at p = 1; colours go by name.
[[nodiscard]] chart::LineChart fast_p_chart(const report::ProblemResults& problems);
// The same at `points` (at least 2) places evenly over the logarithm of p, for where steps cannot be drawn.
[[nodiscard]] chart::LineChart fast_p_samples(const report::ProblemResults& problems, std::size_t points);

// The speedups of every author over the problems that they solved; by median.
[[nodiscard]] chart::BoxChart author_speedups_chart(const HardwareScene& hardware);

// All of these in one histogram.
[[nodiscard]] chart::Histogram speedups_histogram(const HardwareScene& hardware);

// The best solution of every workload below the device's roofs, a series for each definition; only workloads
// whose flops and device are known.
[[nodiscard]] chart::RooflineChart roofline_chart(const HardwareScene& hardware);

// The solutions of a definition by speedup; without speedups by geometric mean latency.
[[nodiscard]] chart::BarChart solutions_chart(const report::Leaderboard& board);

// The latency of every solution over the size of the workload; failures are crosses.
[[nodiscard]] chart::LineChart latency_chart(const Scene& scene, const DefinitionScene& definition);

// The same in small, of the first two of the leaderboard, for a page of all definitions.
[[nodiscard]] chart::LineChart small_latency_chart(const Scene& scene, const DefinitionScene& definition);

// The speedups of every solution of a definition over its workloads, in the order of the leaderboard and
// against the same yardstick; of many the first. Beside who did not pass everything stands how many it did:
// its speedups are over fewer workloads.
[[nodiscard]] chart::BoxChart solution_speedups_chart(const DefinitionScene& definition,
                                                      const report::Leaderboard& board,
                                                      const Colours& colours);

// Solutions x workloads: what passed.
[[nodiscard]] chart::MatrixChart status_chart(const DefinitionScene& definition);

// One letter for a status: "N" for INCORRECT_NUMERICAL, ...; a check mark for PASSED.
[[nodiscard]] std::string status_sign(model::Status status);

// What has a history: a definition on one hardware, by name.
struct HistorySubject {
  std::string definition;
  std::string hardware;

  friend bool operator<(const HistorySubject& left, const HistorySubject& right) {
    return std::tie(left.definition, left.hardware) < std::tie(right.definition, right.hardware);
  }
};

// A run with what it tells of one subject.
struct SubjectRun {
  const report::HistoryRun* run;
  std::vector<const report::RunStanding*> standings;  // by solution
};

// All of a history that some run tried without a sweep, each with the runs that did, in the order in which
// they began. Points into the history.
[[nodiscard]] std::map<HistorySubject, std::vector<SubjectRun>> subjects_of(
    const report::DatasetHistory& history);

// How pages and charts call a run.
struct RunLabel {
  std::string time;    // "03-17 14:18", when it began, in UTC; without a time its id
  std::string commit;  // of the dataset, "1a2b3c4d"; "": not known, or there is no time

  [[nodiscard]] std::string whole() const { return commit.empty() ? time : time + " " + commit; }
};

// Of each run by its id: with seconds where two began in the same minute, and with the year where not all
// began in one.
[[nodiscard]] std::map<std::string, RunLabel> run_labels(const report::DatasetHistory& history);

// The latency (geometric mean over the workloads) of every solution over the runs, which tried the subject,
// in their order; the band is the geometric mean of their intervals. A run in which one of its evaluations
// failed is a cross; one that is slower than the run before, beyond both intervals, has a mark, and one whose
// source has changed since another. Solutions come by their latency in their last run. Points of sweeps do
// not count.
[[nodiscard]] chart::LineChart history_chart(const HistorySubject& subject,
                                             const std::vector<SubjectRun>& runs,
                                             const std::map<std::string, RunLabel>& labels);

// "22 of 500 solutions: the fastest, and others that slowed down or failed last", of a chart of so many;
// empty where it shows all. Pure.
[[nodiscard]] std::string few_solutions_text(const chart::LineChart& history, std::size_t solutions);

// Puts those whose place is beyond the colours that are told apart last, so that legends begin with the
// others.
void put_greys_last(std::vector<chart::Series>& series);

// The chart with the colours that its solutions have in the page; those that are all grey come last.
[[nodiscard]] chart::LineChart coloured(chart::LineChart chart, const Colours& colours);

// A run's latencies of a definition over what was swept in it, a series for each solution. With several swept
// options the categories are their combinations. Empty series when nothing was swept.
[[nodiscard]] chart::LineChart sweep_chart(const report::HistoryRun& run, const std::string& definition);

// The definitions that a run tried in a sweep, by name.
[[nodiscard]] std::vector<std::string> swept_definitions(const report::HistoryRun& run);

// Whether `holds` of some point of the chart.
template <typename Holds>
[[nodiscard]] bool any_point(const chart::LineChart& chart, const Holds& holds) {
  return std::any_of(chart.series.begin(), chart.series.end(), [&](const chart::Series& series) {
    return std::any_of(series.points.begin(), series.points.end(), holds);
  });
}

}  // namespace fib::visual
