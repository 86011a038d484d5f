#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/details.h"
#include "report/drift.h"
#include "report/run_rest.h"

// Two sides A and B, result by result: what became faster, what slower, what broke.
namespace fib::report {

// Of B against A. With m the medians of the timed calls, and noise as relative_noise() has it:
enum class Verdict {
  same,    // they differ by at most 1 %, or by no more than both the noise and kToldWithin
  faster,  // mB is lower by more than that and the noise, and the quartile ranges, where known, are disjoint
  slower,  // mB is higher by more than that and the noise, and the same of the quartile ranges
  ambiguous,  // they differ by more than `same` allows, but within the noise, or that is unknown, or the
              // ranges overlap
  broken,     // A passed, B did not
  fixed,      // B passed, A did not
  failed,     // neither passed
};
[[nodiscard]] std::string_view name_of(Verdict verdict);
inline constexpr Verdict kVerdicts[] = {Verdict::same,   Verdict::faster, Verdict::slower, Verdict::ambiguous,
                                        Verdict::broken, Verdict::fixed,  Verdict::failed};

// Differences up to this are never called one.
inline constexpr double kSameWithin = 0.01;

// Where noise is above this, a change above it is ambiguous rather than the same.
inline constexpr double kToldWithin = 0.1;

// What became of the latency of one piece of work.
struct Change {
  Verdict verdict = Verdict::failed;
  std::optional<double> share;   // mB / mA - 1; nothing: a median is not known, or a side did not pass
  std::optional<double> judged;  // the same without the drift: what the verdict is of
  std::optional<double> noise;   // nothing: a side has no record of its spread
};

// The verdict of two results of the same work: the one rule by which `fib run`, `fib report compare` and the
// HTML report say what changed. B's latencies are taken for drift.ratio times too long, and the noise is as
// many times wider as drift.scatter says: what `fib run` says of a single result knows neither. Pure.
[[nodiscard]] Change change_of(const dataset::TraceRow& a, const dataset::TraceRow& b,
                               const Drift& drift = {});

// same, faster, slower or ambiguous, by B's latency over A's alone: noise n means that equal runs may differ
// by a factor of 1 + n, in either direction. Nothing: the noise is not known. Pure.
[[nodiscard]] Verdict verdict_of_ratio(double ratio, std::optional<double> noise);

// The noise of a comparison of two results whose intervals are these shares of their latencies. Pure.
[[nodiscard]] double noise_of_intervals(double of_a, double of_b, bool on_cuda);

// What is compared with what. Hardware, definition and workload (its uuid and its axes) must always be equal.
enum class PairBy {
  solution,  // and the solution's name: two runs, two datasets
  workload,  // the fastest result of each side: two authors, two solutions
};

// Whether both results were made from the same source.
enum class Sources { unknown, same, changed };
[[nodiscard]] std::string_view name_of(Sources sources);
// By what both results record. Pure.
[[nodiscard]] Sources sources_of(const dataset::TraceRow& a, const dataset::TraceRow& b);

// Whether verdicts are of the change as it was measured, or of what drift's ratio leaves of it. Its scatter
// always widens the noise.
enum class CorrectDrift { no, yes };

struct CompareSide {
  std::string label;                   // "run 20260101T...", "author alice"
  std::vector<const Detail*> results;  // the latest of each, points of sweeps apart, see latest()
  RunRest rest = {};                   // of the run; of a dataset's last one
  // Where it is a dataset: those of other sources than the dataset has now, and of solutions and workloads
  // that it has not.
  std::set<const Detail*> outdated = {};
  // Where it is a run: those whose solution has a result of the same workload in another run.
  std::set<const Detail*> in_other_runs = {};
  // Of these, those that failed, and whose solution had passed on that workload in an earlier run.
  std::set<const Detail*> broken_since = {};
  // Where records of its solutions lie in the repository, by the solution's name (record_file.h): of B, for
  // annotations.
  std::map<std::string, std::string> files = {};
};

// One result of each side.
struct Comparison {
  const Detail* a = nullptr;
  const Detail* b = nullptr;
  Verdict verdict = Verdict::failed;
  std::optional<double> latency_a_ms;
  std::optional<double> latency_b_ms;
  std::optional<double> change;  // mB / mA - 1
  std::optional<double>
      change_less_drift;                // the same, with B's median over the drift; nothing: it is not known
  std::optional<double> judged_change;  // the one of the two that the verdict is of
  Sources sources = Sources::unknown;
  std::optional<double> noise;   // nothing: a side has no record of its spread
  std::string other_conditions;  // "flush clean → flush none", of those that differ; empty: none is known to
  std::string remark;            // a sweep's point, a source that changed, these, clocks that differ
};

struct CompareReport {
  std::string label_a;
  std::string label_b;
  PairBy pair_by = PairBy::solution;
  // By hardware and definition, those with the worst pair first, and the worst of these first: broken, slower
  // (the most first), ambiguous, failed, same, faster, fixed; those alike by solution, then in A's order.
  std::vector<Comparison> pairs;
  std::vector<const Detail*> only_a;  // without a counterpart
  std::vector<const Detail*> only_b;
  std::size_t only_b_in_other_runs = 0;  // of these, see CompareSide
  std::size_t only_b_broken_since = 0;
  // Results without a counterpart in B although B has one of the same name: between them the definition has
  // changed, or sizes or inputs of the workload.
  std::size_t other_work = 0;
  RunRest rest_a = {};
  RunRest rest_b = {};
  // Pairs whose result in B is of a source, solution or workload that B has no more; of hardware on which B
  // has anything that A has not, since of other machines a dataset keeps what they once measured.
  std::size_t outdated = 0;
  std::map<std::string, Drift> drifts = {};  // by hardware
  CorrectDrift correct_drift = CorrectDrift::no;
  std::map<std::string, std::string> files = {};  // B's, see CompareSide

  [[nodiscard]] std::size_t count(Verdict verdict) const;
  // Geometric mean of mA / mB over the pairs that passed on both sides: above 1, B is faster. Nothing when
  // there are none.
  [[nodiscard]] std::optional<double> mean_speedup() const;
  // The same of those of these sources.
  [[nodiscard]] std::optional<double> mean_speedup(Sources sources) const;
  // The pairs that are slower by more than `limit` (0.05: 5 %) or broken.
  [[nodiscard]] std::vector<const Comparison*> regressions(double limit) const;
  // Pairs that look slower by more than `limit`, but are ambiguous or within the noise: no gate stops these.
  [[nodiscard]] std::vector<const Comparison*> doubtful(double limit) const;
  // Pairs whose sides were measured or judged under other conditions (dataset/conditions.h).
  [[nodiscard]] std::size_t other_conditions() const;
  // Whether no latency was compared: there are no pairs, or both sides failed in all of them. A gate on that
  // does not hold.
  [[nodiscard]] bool nothing_compared() const;
  // Results of A that passed and have no counterpart in B.
  [[nodiscard]] std::size_t missing() const;
  // Whether all pairs are of one measurement each, which both sides hold: nothing can differ.
  [[nodiscard]] bool are_equal() const;
  // Pairs whose two sides are one measurement.
  [[nodiscard]] std::size_t one_measurement() const;
  // Results of A with a latency whose counterpart in B passed and has none, as other tools may write.
  [[nodiscard]] std::size_t untimed() const;
};

// Pure. The report points into the details, which must outlive it.
[[nodiscard]] CompareReport compare(const CompareSide& a, const CompareSide& b, PairBy pair_by,
                                    CorrectDrift correct_drift = CorrectDrift::no);

// By how much the medians of two runs of the same code may differ, as a share of A's median: the larger of
// the intervals that both record (evaluation.fib.interval), on CUDA twice that. An interval holds 95 of 100
// reruns, and on a GPU the calls of a process differ so little that disjoint quartiles say nothing. Of older
// traces, which record none: the larger interquartile range over median; the larger range of the trials'
// medians over median, for a run of memory-bound kernels stays in one of several modes for a whole trial; and
// on CUDA what single processes differ by (kProcessNoiseMs, docs/measuring.md). Nothing when a side has no
// record of its spread either.
[[nodiscard]] std::optional<double> relative_noise(const dataset::TraceRow& a, const dataset::TraceRow& b);

// Of 1,378 pairs of equal runs on H200s 2.4 % were called faster or slower with one interval, none with two.
inline constexpr double kIntervalsOnCuda = 2;

// Two processes read the same short kernel up to so much apart.
inline constexpr double kProcessNoiseMs = 0.0006;

// Two results of the same work, judged by change_of().
[[nodiscard]] Comparison compare_pair(const Detail& a, const Detail& b, const Drift& drift = {});

}  // namespace fib::report
