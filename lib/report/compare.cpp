#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "dataset/conditions.h"

namespace fib::report {
namespace {

// SM clocks further apart than this are said: latencies of what computes differ as much.
constexpr double kClockRemark = 0.01;

// hardware, definition, solution (empty with PairBy::workload), uuid and axes, point of a sweep
using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

// One uuid with other axes is other work.
std::string workload_key(const model::Workload& workload) {
  std::string text = workload.uuid;
  for (const auto& [name, value] : workload.axes) text += fmt::format(" {}={}", name, value.value);
  return text;
}

Key key_of(const Detail& detail, PairBy pair_by) {
  const auto& row = detail.row;
  return {*row.evaluation->hardware, *row.definition, pair_by == PairBy::solution ? *row.solution : "",
          workload_key(*row.workload), detail.sweep != nullptr ? *detail.sweep : ""};
}

bool is_better(const Detail& left, const Detail& right) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return left.latency_ms().value_or(kNone) < right.latency_ms().value_or(kNone);
}

using Results = std::map<Key, const Detail*>;

Results results_of(const CompareSide& side, PairBy pair_by) {
  Results results;
  for (const Detail* detail : side.results) {
    const auto [place, is_new] = results.emplace(key_of(*detail, pair_by), detail);
    if (!is_new && is_better(*detail, *place->second)) place->second = detail;
  }
  return results;
}

// Beyond the noise a change is one where the quartile ranges are disjoint, or not recorded.
Verdict verdict_of_change(const Change& change, const std::optional<dataset::Spread>& a,
                          const std::optional<dataset::Spread>& b, double drift) {
  const Verdict verdict = verdict_of_ratio(1 + *change.judged, change.noise);
  if (verdict == Verdict::faster && a && b && b->q75_ms / drift >= a->q25_ms) return Verdict::ambiguous;
  if (verdict == Verdict::slower && a && b && b->q25_ms / drift <= a->q75_ms) return Verdict::ambiguous;
  return verdict;
}

const std::string& hardware_of(const Comparison& pair) { return *pair.a->row.evaluation->hardware; }

SameSources unchanged_in(const std::vector<Comparison>& pairs) {
  SameSources unchanged;
  for (const Comparison& pair : pairs) {
    if (pair.sources == Sources::same && pair.change)
      unchanged[hardware_of(pair)].push_back({1 + *pair.change, pair.noise});
  }
  return unchanged;
}

// The lower, the worse.
std::pair<int, double> badness(const Comparison& pair) {
  static constexpr Verdict kOrder[] = {Verdict::broken, Verdict::slower, Verdict::ambiguous, Verdict::failed,
                                       Verdict::same,   Verdict::faster, Verdict::fixed};
  const auto place = std::find(std::begin(kOrder), std::end(kOrder), pair.verdict) - std::begin(kOrder);
  const bool by_change = pair.verdict == Verdict::slower || pair.verdict == Verdict::ambiguous;
  return {static_cast<int>(place), by_change ? -pair.judged_change.value_or(0) : 0};
}

void put_worst_first(std::vector<Comparison>& pairs) {
  const auto group = [](const Comparison& pair) {
    return std::pair(hardware_of(pair), *pair.a->row.definition);
  };
  std::map<std::pair<std::string, std::string>, std::pair<int, double>> worst;
  for (const Comparison& pair : pairs) {
    const auto [place, is_new] = worst.emplace(group(pair), badness(pair));
    if (!is_new) place->second = std::min(place->second, badness(pair));
  }
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Comparison& left, const Comparison& right) {
    const auto key = [&](const Comparison& pair) {
      return std::tuple(worst.at(group(pair)), group(pair), badness(pair));
    };
    return key(left) < key(right);
  });
}

using Conditions = const std::string* dataset::RowOrigin::*;

// Of traces that do not say, nothing is known.
bool differ_in(Conditions conditions, const Detail& a, const Detail& b) {
  const auto* of_a = a.row.evaluation->origin.*conditions;
  const auto* of_b = b.row.evaluation->origin.*conditions;
  return of_a != nullptr && of_b != nullptr && *of_a != *of_b;
}

// The conditions that differ: those of the run, and what definition and workload add (the judging rule, a
// tolerance of their own, the reference's engine, made inputs).
std::vector<Conditions> other_conditions_of(const Detail& a, const Detail& b) {
  std::vector<Conditions> others;
  if (differ_in(&dataset::RowOrigin::run_conditions, a, b))
    others.push_back(&dataset::RowOrigin::run_conditions);
  if (differ_in(&dataset::RowOrigin::workload_conditions, a, b) && !dataset::fails_before_reference(a.row) &&
      !dataset::fails_before_reference(b.row)) {
    others.push_back(&dataset::RowOrigin::workload_conditions);
  }
  return others;
}

std::string other_conditions_text(const Detail& a, const Detail& b) {
  std::string text;
  for (const Conditions conditions : other_conditions_of(a, b))
    text += fmt::format("{}{} → {}", text.empty() ? "" : ", ", *(a.row.evaluation->origin.*conditions),
                        *(b.row.evaluation->origin.*conditions));
  return text;
}

// Whether the verdict says that something is another than before.
bool is_change(Verdict verdict) {
  return verdict != Verdict::same && verdict != Verdict::ambiguous && verdict != Verdict::failed;
}

std::string remark_of(const Comparison& pair) {
  const Detail& a = *pair.a;
  const Detail& b = *pair.b;
  std::string remark = a.sweep != nullptr ? "sweep " + *a.sweep : "";
  const auto add = [&](const std::string& text) { remark += (remark.empty() ? "" : ", ") + text; };
  const bool is_same_solution = *a.row.solution == *b.row.solution;
  if (is_same_solution && pair.sources == Sources::changed) add("source or its options changed");
  if (!pair.other_conditions.empty()) add("conditions " + pair.other_conditions);
  if (a.clock != nullptr && b.clock != nullptr && *a.clock != *b.clock)
    add(fmt::format("clock {} → {}", *a.clock, *b.clock));
  if (a.sm_clock_mhz && b.sm_clock_mhz && *a.sm_clock_mhz > 0 &&
      std::abs(*b.sm_clock_mhz / *a.sm_clock_mhz - 1) > kClockRemark) {
    add(fmt::format("SM {:.0f} → {:.0f} MHz", *a.sm_clock_mhz, *b.sm_clock_mhz));
  }
  // Then the machine, its software or chance made the difference.
  if (pair.sources == Sources::same && is_change(pair.verdict)) add("the source is the same");
  return remark;
}

// The pairs stand in A's order within a solution; its place is that of the key's first result.
std::vector<const Detail*> ordered(const CompareSide& side, const Results& results, PairBy pair_by) {
  std::vector<const Detail*> chosen;
  std::set<Key> seen;
  for (const Detail* detail : side.results) {
    const Key key = key_of(*detail, pair_by);
    if (seen.insert(key).second) chosen.push_back(results.at(key));
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](const Detail* left, const Detail* right) {
    const Key left_key = key_of(*left, pair_by);
    const Key right_key = key_of(*right, pair_by);
    return std::tie(std::get<0>(left_key), std::get<1>(left_key), std::get<2>(left_key)) <
           std::tie(std::get<0>(right_key), std::get<1>(right_key), std::get<2>(right_key));
  });
  return chosen;
}

bool is_one_measurement(const Comparison& pair) {
  const auto& of_a = pair.a->row.evaluation;
  const auto& of_b = pair.b->row.evaluation;
  return pair.a->run_id != nullptr && pair.b->run_id != nullptr && *pair.a->run_id == *pair.b->run_id &&
         of_a->timestamp == of_b->timestamp && pair.a->latency_ms() == pair.b->latency_ms();
}

}  // namespace

std::string_view name_of(Sources sources) {
  switch (sources) {
    case Sources::same:
      return "same";
    case Sources::changed:
      return "changed";
    case Sources::unknown:
      break;
  }
  return "unknown";
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::ambiguous:
      return "ambiguous";
    case Verdict::broken:
      return "broken";
    case Verdict::fixed:
      return "fixed";
    case Verdict::failed:
      break;
  }
  return "failed";
}

Sources sources_of(const dataset::TraceRow& a, const dataset::TraceRow& b) {
  const auto* of_a = a.evaluation->origin.solution_sha256;
  const auto* of_b = b.evaluation->origin.solution_sha256;
  if (of_a == nullptr || of_b == nullptr) return Sources::unknown;
  return *of_a == *of_b ? Sources::same : Sources::changed;
}

Verdict verdict_of_ratio(double ratio, std::optional<double> noise) {
  const double change = std::abs(std::log(ratio));
  const double allowed = noise.value_or(0);
  if (change <= std::log1p(std::max(kSameWithin, std::min(allowed, kToldWithin)))) return Verdict::same;
  if (!noise || change <= std::log1p(allowed)) return Verdict::ambiguous;
  return ratio < 1 ? Verdict::faster : Verdict::slower;
}

double noise_of_intervals(double of_a, double of_b, bool on_cuda) {
  return (on_cuda ? kIntervalsOnCuda : 1) * std::max(of_a, of_b);
}

std::optional<double> relative_noise(const dataset::TraceRow& a, const dataset::TraceRow& b) {
  const bool cuda = a.evaluation->device == model::DeviceKind::cuda;
  const auto& of_a = a.evaluation->interval;
  const auto& of_b = b.evaluation->interval;
  if (of_a && of_b) return noise_of_intervals(*of_a, *of_b, cuda);
  const auto& calls_a = a.evaluation->calls;
  const auto& calls_b = b.evaluation->calls;
  if (!calls_a.spread || !calls_b.spread) return std::nullopt;
  const auto own = [](const dataset::RowCalls& calls) {
    return std::max(calls.spread->relative_iqr(), calls.trial_range_ms / calls.spread->median_ms);
  };
  return std::max({own(calls_a), own(calls_b), cuda ? kProcessNoiseMs / calls_a.spread->median_ms : 0});
}

Change change_of(const dataset::TraceRow& a, const dataset::TraceRow& b, const Drift& drift) {
  if (!a.passed() || !b.passed()) {
    const Verdict verdict = a.passed() ? Verdict::broken : b.passed() ? Verdict::fixed : Verdict::failed;
    return {verdict, std::nullopt, std::nullopt, std::nullopt};
  }
  const auto latency_a = a.latency_ms();
  const auto latency_b = b.latency_ms();
  if (!latency_a || !latency_b) return {Verdict::ambiguous, std::nullopt, std::nullopt, std::nullopt};
  const double share = *latency_b / *latency_a - 1;
  Change change{Verdict::ambiguous, share, (1 + share) / drift.ratio - 1, relative_noise(a, b)};
  if (change.noise) change.noise = wider(*change.noise, drift.scatter);
  change.verdict =
      verdict_of_change(change, a.evaluation->calls.spread, b.evaluation->calls.spread, drift.ratio);
  return change;
}

Comparison compare_pair(const Detail& a, const Detail& b, const Drift& drift) {
  Comparison pair;
  pair.a = &a;
  pair.b = &b;
  pair.sources = sources_of(a.row, b.row);
  pair.latency_a_ms = a.latency_ms();
  pair.latency_b_ms = b.latency_ms();
  pair.other_conditions = other_conditions_text(a, b);
  const Change change = change_of(a.row, b.row, drift);
  pair.verdict = change.verdict;
  pair.remark = remark_of(pair);
  pair.change = change.share;
  pair.judged_change = change.judged;
  pair.noise = change.noise;
  return pair;
}

CompareReport compare(const CompareSide& a, const CompareSide& b, PairBy pair_by,
                      CorrectDrift correct_drift) {
  const Results results_a = results_of(a, pair_by);
  const Results results_b = results_of(b, pair_by);
  CompareReport report;
  report.label_a = a.label;
  report.label_b = b.label;
  report.pair_by = pair_by;
  report.correct_drift = correct_drift;
  report.files = b.files;
  const auto partner_in = [&](const Results& results, const Detail& detail) {
    const auto other = results.find(key_of(detail, pair_by));
    const bool is_one = other != results.end() && dataset::is_same_work(other->second->row, detail.row);
    return is_one ? other->second : nullptr;
  };
  for (const Detail* detail : ordered(a, results_a, pair_by)) {
    if (const Detail* other = partner_in(results_b, *detail)) {
      report.pairs.push_back(compare_pair(*detail, *other));
    } else {
      report.only_a.push_back(detail);
      report.other_work += results_b.contains(key_of(*detail, pair_by)) ? 1 : 0;
    }
  }
  for (const Detail* detail : ordered(b, results_b, pair_by)) {
    if (partner_in(results_a, *detail) != nullptr) continue;
    report.only_b.push_back(detail);
    report.only_b_in_other_runs += b.in_other_runs.count(detail);
    report.only_b_broken_since += b.broken_since.count(detail);
  }
  report.drifts = drifts_of(unchanged_in(report.pairs));
  for (Comparison& pair : report.pairs) {
    const auto found = report.drifts.find(hardware_of(pair));
    if (found == report.drifts.end() || !pair.change) continue;
    Drift drift = found->second;
    if (correct_drift == CorrectDrift::no) drift.ratio = 1;
    pair = compare_pair(*pair.a, *pair.b, drift);
    pair.change_less_drift = (1 + *pair.change) / found->second.ratio - 1;
  }
  put_worst_first(report.pairs);
  report.rest_a = a.rest;
  report.rest_b = b.rest;
  std::set<std::string> measured;  // hardware on which B has something new
  for (const Comparison& pair : report.pairs) {
    if (!is_one_measurement(pair)) measured.insert(hardware_of(pair));
  }
  report.outdated = static_cast<std::size_t>(
      std::count_if(report.pairs.begin(), report.pairs.end(), [&](const Comparison& pair) {
        return b.outdated.contains(pair.b) && measured.contains(hardware_of(pair));
      }));
  return report;
}

std::size_t CompareReport::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [&](const Comparison& pair) { return pair.verdict == verdict; }));
}

namespace {

std::optional<double> mean_speedup_of(const std::vector<Comparison>& pairs, std::optional<Sources> sources) {
  double sum = 0;
  std::size_t count = 0;
  for (const Comparison& pair : pairs) {
    if (!pair.change || (sources && pair.sources != *sources)) continue;
    sum -= std::log1p(*pair.change);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / static_cast<double>(count));
}

}  // namespace

std::optional<double> CompareReport::mean_speedup() const { return mean_speedup_of(pairs, std::nullopt); }

std::optional<double> CompareReport::mean_speedup(Sources sources) const {
  return mean_speedup_of(pairs, sources);
}

std::vector<const Comparison*> CompareReport::regressions(double limit) const {
  std::vector<const Comparison*> found;
  for (const Comparison& pair : pairs) {
    const bool slower = pair.verdict == Verdict::slower && *pair.judged_change > limit;
    if (slower || pair.verdict == Verdict::broken) found.push_back(&pair);
  }
  return found;
}

std::vector<const Comparison*> CompareReport::doubtful(double limit) const {
  std::vector<const Comparison*> found;
  for (const Comparison& pair : pairs) {
    const bool undecided = pair.verdict == Verdict::ambiguous || pair.verdict == Verdict::same;
    if (undecided && (!pair.judged_change || *pair.judged_change > limit)) found.push_back(&pair);
  }
  return found;
}

std::size_t CompareReport::other_conditions() const {
  return static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [](const Comparison& pair) { return !pair.other_conditions.empty(); }));
}

bool CompareReport::nothing_compared() const { return count(Verdict::failed) == pairs.size(); }

std::size_t CompareReport::missing() const {
  return static_cast<std::size_t>(
      std::count_if(only_a.begin(), only_a.end(), [](const Detail* detail) { return detail->row.passed(); }));
}

bool CompareReport::are_equal() const { return !pairs.empty() && one_measurement() == pairs.size(); }

std::size_t CompareReport::one_measurement() const {
  return static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), is_one_measurement));
}

std::size_t CompareReport::untimed() const {
  return static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), [](const Comparison& pair) {
    return pair.latency_a_ms && !pair.latency_b_ms && pair.b->row.passed();
  }));
}

}  // namespace fib::report
