#include "report/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "dataset/conditions.h"
#include "dataset/ranking.h"
#include "dataset/standing.h"
#include "present/document.h"
#include "present/text.h"
#include "report/compare.h"
#include "report/rank_cell.h"
#include "report/remarks.h"
#include "report/speedup_text.h"
#include "util/clock.h"
#include "util/some_of.h"
#include "util/text.h"

namespace fib::report {
namespace {

using dataset::TraceRow;

double share_of(const TraceRow& row) { return row.evaluation->interval.value_or(0); }

// With a space in front; "" where the interval is not known.
std::string interval_text(double share) { return share > 0 ? " " + present::format_interval(share) : ""; }

// "12.1% faster than before"; "66.0% slower than before with the same source, ambiguous"; "" where it is the
// same, or a latency is not known. `before` is called `when`.
std::string difference_text(const TraceRow& now, const TraceRow* before, const char* when) {
  if (before == nullptr) return "";
  const Change change = change_of(*before, now);
  if (!change.share || change.verdict == Verdict::same) return "";
  return fmt::format("{:.1f}% {} than {}{}{}", std::abs(*change.share) * 100,
                     *change.share < 0 ? "faster" : "slower", when,
                     sources_of(*before, now) == Sources::same ? " with the same source" : "",
                     change.verdict == Verdict::ambiguous ? ", ambiguous" : "");
}

std::string change_text(const TraceRow& now, const EarlierResults& earlier) {
  const TraceRow* before = earlier.before(now);
  if (before == nullptr) return "";
  if (!now.passed()) {
    const bool is_same = before->evaluation->status == now.evaluation->status;
    return is_same ? "as before"
                   : fmt::format("{} before",
                                 before->passed() ? "passed" : model::name_of(before->evaluation->status));
  }
  if (!before->passed()) {
    const std::string change = difference_text(now, earlier.passed_before(now), "when it last passed");
    return fmt::format("{} before{}", model::name_of(before->evaluation->status),
                       change.empty() ? "" : fmt::format(" ({})", change));
  }
  if (!change_of(*before, now).share) return "";
  const std::string change = difference_text(now, before, "before");
  return change.empty() ? "as before" : change;
}

std::string line_of(std::string_view text, bool first) {
  text = util::trimmed(text);
  const auto line = first ? text.substr(0, text.find('\n')) : text.substr(text.rfind('\n') + 1);
  return present::printable(line);
}

// What one run made of one solution, at one point of the sweep.
struct SolutionResults {
  std::vector<const Detail*> all;

  [[nodiscard]] std::size_t passed() const {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const Detail* detail) { return detail->row.passed(); }));
  }
};

// A solution at one point of the sweep, of which there is none in most runs.
struct PointOf {
  std::string solution;
  std::size_t order = 0;  // of the point in the run
  std::string sweep;
  auto operator<=>(const PointOf&) const =
      default;  // NOLINT(modernize-use-nullptr): of the compiler's own code
};

using DefinitionResults = std::map<PointOf, SolutionResults>;

struct HardwareResults {
  std::map<std::string, DefinitionResults> definitions;
};

std::map<std::string, HardwareResults> by_hardware(const std::vector<Detail>& results) {
  std::map<std::string, HardwareResults> sorted;
  std::vector<std::string> sweeps;
  for (const Detail& detail : results) {
    const std::string sweep = detail.sweep != nullptr ? *detail.sweep : "";
    const auto known = std::find(sweeps.begin(), sweeps.end(), sweep);
    const auto order = static_cast<std::size_t>(known - sweeps.begin());
    if (known == sweeps.end()) sweeps.push_back(sweep);
    sorted[*detail.row.evaluation->hardware]
        .definitions[*detail.row.definition][{*detail.row.solution, order, sweep}]
        .all.push_back(&detail);
  }
  return sorted;
}

// Of the reference's calls that the evaluation made itself: the quartiles.
std::optional<dataset::SpeedupRange> own_range(const TraceRow& row) {
  const auto& reference = row.evaluation->reference;
  if (!reference) return std::nullopt;
  const double latency = row.evaluation->performance->latency_ms;
  return dataset::SpeedupRange{reference->q25_ms / latency, reference->q75_ms / latency};
}

// The ranking of each hardware and definition, by all results that stand when the run's are added.
class Rankings {
 public:
  Rankings(const dataset::Dataset& dataset, const std::vector<Detail>& results)
      : rows_(all_rows(dataset, results)), standing_(dataset, rows_) {
    std::map<Key, dataset::Contest> contests;
    for (const TraceRow& row : rows_) {
      if (row.solution == nullptr || !row.evaluation || !standing_.holds(row)) continue;
      contests[{*row.evaluation->hardware, *row.definition}].add(
          *row.solution, row.workload->uuid,
          {row.passed(), row.latency_ms().value_or(0), row.evaluation->interval});
    }
    for (const auto& [key, contest] : contests) {
      rankings_[key] = contest.ranking();
      const RankCells ranks(rankings_[key]);
      for (const auto& one : rankings_[key]) ranks_[key].emplace(one.solution, ranks.of(one.rank));
    }
  }

  // The speedup of a result that passed, against the time of the run's reference; 0 where that is not known.
  [[nodiscard]] dataset::RangedSpeedup speedup_of(TraceRow row) const {
    standing_.settle_reference(row);
    const auto& performance = row.evaluation->performance;
    if (!performance) return {};
    // A point of a sweep does not stand: of it there is what its own evaluation saw of the reference.
    return {performance->speedup_factor,
            performance->speedup_range ? performance->speedup_range : own_range(row)};
  }

  [[nodiscard]] const std::vector<dataset::RankedSolution>& of(const std::string& hardware,
                                                               const std::string& definition) const {
    static const std::vector<dataset::RankedSolution> kNone;
    const auto found = rankings_.find({hardware, definition});
    return found != rankings_.end() ? found->second : kNone;
  }

  [[nodiscard]] present::Cell rank_of(const std::string& hardware, const std::string& definition,
                                      const std::string& solution) const {
    const auto ranks = ranks_.find({hardware, definition});
    if (ranks == ranks_.end()) return present::no_cell();
    const auto rank = ranks->second.find(solution);
    return rank != ranks->second.end() ? rank->second : present::no_cell();
  }

  // What makes the run's own results doubtful.
  [[nodiscard]] std::vector<std::string> cautions_about(const std::vector<Detail>& results) const {
    std::vector<TraceRow> rows;
    for (const Detail& detail : results) rows.push_back(detail.row);
    return cautions_of(&standing_, rows);
  }

 private:
  static std::vector<TraceRow> all_rows(const dataset::Dataset& dataset, const std::vector<Detail>& results) {
    std::vector<TraceRow> rows = dataset.traces;
    for (const Detail& detail : results) rows.push_back(detail.row);
    return rows;
  }

  using Key = std::pair<std::string, std::string>;
  std::vector<TraceRow> rows_;
  dataset::StandingResults standing_;
  std::map<Key, std::vector<dataset::RankedSolution>> rankings_;
  std::map<Key, std::map<std::string, present::Cell>> ranks_;  // by solution
};

// The geometric mean, and that of the intervals' ends, as solutions are ranked by them; in parentheses where
// some have none, or another solution has results of more workloads (`most`): such means cannot be compared.
present::Cell solution_latency_cell(const SolutionResults& results, std::size_t most) {
  std::vector<double> latencies;
  std::vector<double> highs;
  for (const Detail* detail : results.all) {
    const auto latency = detail->latency_ms();
    if (!latency) continue;
    latencies.push_back(*latency);
    highs.push_back(*latency * (1 + share_of(detail->row)));
  }
  if (latencies.empty()) return present::no_cell();
  const double mean = dataset::geometric_mean(latencies);
  const std::string text =
      present::format_ms(mean) + interval_text(dataset::geometric_mean(highs) / mean - 1);
  return present::text_cell(latencies.size() < most ? "(" + text + ")" : text);
}

// The geometric mean over workloads, as `fib report best` has it; none unless all passed and were timed.
present::Cell solution_speedup_cell(const SolutionResults& results, const Rankings& rankings) {
  dataset::MeanSpeedup mean;
  for (const Detail* detail : results.all) {
    const auto one = rankings.speedup_of(detail->row);
    if (!(one.speedup > 0)) return present::no_cell();
    mean.add(one.speedup, one.range);
  }
  return present::text_cell(speedup_text(*mean.geometric_mean(), mean.geometric_range(), two_digits) + "x");
}

// The results of the run whose source is that of before: they show what the machine did since then.
SameSources unchanged_in(const std::vector<Detail>& results, const EarlierResults& earlier) {
  SameSources unchanged;
  for (const Detail& detail : results) {
    const TraceRow* before = earlier.before(detail.row);
    if (before == nullptr || sources_of(*before, detail.row) != Sources::same) continue;
    const Change change = change_of(*before, detail.row);
    if (change.share)
      unchanged[*detail.row.evaluation->hardware].push_back({1 + *change.share, change.noise});
  }
  return unchanged;
}

// How latencies changed.
class Changes {
 public:
  void add(const TraceRow& before, const TraceRow& now, double scatter) {
    const Change change = change_of(before, now, {.scatter = scatter});
    if (!change.share) return;
    are_of_one_source_ = are_of_one_source_ && sources_of(before, now) == Sources::same;
    ratios_.push_back(1 + *change.share);
    changed_ = changed_ || change.verdict == Verdict::faster || change.verdict == Verdict::slower;
    ambiguous_ = ambiguous_ || change.verdict == Verdict::ambiguous;
  }
  [[nodiscard]] bool is_none() const { return ratios_.empty(); }
  [[nodiscard]] bool has_changed() const { return changed_; }
  // Though the source is the same as before.
  [[nodiscard]] bool is_unexplained() const { return changed_ && are_of_one_source_; }
  // Of one at least: "-24.2%" (the geometric mean of the ratios), "ambiguous" or "same".
  [[nodiscard]] std::string text() const {
    if (!changed_) return ambiguous_ ? "ambiguous" : "same";
    return fmt::format("{:+.1f}%", (dataset::geometric_mean(ratios_) - 1) * 100);
  }

 private:
  std::vector<double> ratios_;
  bool changed_ = false;
  bool ambiguous_ = false;
  bool are_of_one_source_ = true;
};

// What changed since the solution was run before: what is broken or fixed, or the geometric mean of the
// ratios of latencies. What is fixed is told beside when it last passed.
present::Cell change_cell(const SolutionResults& results, const EarlierResults& earlier, double scatter) {
  std::size_t broken = 0;
  std::vector<const Detail*> fixed;
  for (const Detail* detail : results.all) {
    const TraceRow* before = earlier.before(detail->row);
    if (before == nullptr || before->passed() == detail->row.passed()) continue;
    if (before->passed()) {
      ++broken;
    } else {
      fixed.push_back(detail);
    }
  }
  if (broken > 0) return present::text_cell(fmt::format("{} broken", broken));
  Changes changes;
  for (const Detail* detail : fixed.empty() ? results.all : fixed) {
    const TraceRow* passed = earlier.passed_before(detail->row);
    if (passed != nullptr) changes.add(*passed, detail->row, scatter);
  }
  if (fixed.empty()) return changes.is_none() ? present::no_cell() : present::text_cell(changes.text());
  const std::string count = fmt::format("{} fixed", fixed.size());
  if (!changes.has_changed()) return present::text_cell(count);
  return present::text_cell(fmt::format("{}, {} since last pass", count, changes.text()));
}

present::Cell failure_cell(const SolutionResults& results) {
  const auto found = std::find_if(results.all.begin(), results.all.end(),
                                  [](const Detail* detail) { return !detail->row.passed(); });
  if (found == results.all.end()) return present::text_cell("");
  const auto status = status_text((*found)->status(), (*found)->failure);
  const auto reason = failure_reason((*found)->status(), (*found)->log);
  if (reason.empty()) return present::text_cell(status);
  // Written in whole above, when the result came.
  constexpr std::size_t kMostColumns = 160;
  return present::text_cell(
      fmt::format("{}: {}", status, present::shorten(without_rule(reason), kMostColumns)));
}

present::Table table_of(const std::string& hardware, const HardwareResults& results,
                        const EarlierResults& earlier, double scatter, const Rankings& rankings) {
  present::Table table{{present::text_column("Definition", ""), present::name_column("Solution", ""),
                        present::number_column("Rank", ""), present::number_column("Passed", ""),
                        present::number_column("Latency (ms)", ""),
                        present::spare(present::number_column("vs. reference", "")),
                        present::number_column("vs. before", ""), present::text_column("First failure", "")},
                       {},
                       true};
  for (const auto& [definition, solutions] : results.definitions) {
    std::map<std::string, std::size_t> most;  // results that a solution has, by point of the sweep
    for (const auto& [name, of_solution] : solutions)
      most[name.sweep] = std::max(most[name.sweep], of_solution.all.size());
    for (const auto& [name, of_solution] : solutions) {
      const auto& [solution, order, sweep] = name;
      const bool swept = !sweep.empty();
      table.rows.push_back(
          {present::text_cell(definition),
           present::text_cell(swept ? fmt::format("{} {}", solution, sweep) : solution),
           swept ? present::no_cell() : rankings.rank_of(hardware, definition, solution),
           present::text_cell(fmt::format("{}/{}", of_solution.passed(), of_solution.all.size())),
           solution_latency_cell(of_solution, most[sweep]), solution_speedup_cell(of_solution, rankings),
           change_cell(of_solution, earlier, scatter), failure_cell(of_solution)});
    }
  }
  return table;
}

// Names the solutions that are faster or slower than before, broken or fixed, though their sources are the
// same; "" where none is.
std::string unexplained_text(const HardwareResults& results, const EarlierResults& earlier, double scatter) {
  std::set<std::string> names;
  for (const auto& [definition, solutions] : results.definitions) {
    for (const auto& [name, of_solution] : solutions) {
      Changes changes;
      for (const Detail* detail : of_solution.all) {
        const TraceRow* before = earlier.before(detail->row);
        if (before == nullptr) continue;
        if (before->passed() != detail->row.passed() && sources_of(*before, detail->row) == Sources::same)
          names.insert(name.solution);
        if (before->passed()) changes.add(*before, detail->row, scatter);
      }
      if (changes.is_unexplained()) names.insert(name.solution);
    }
  }
  if (names.empty()) return "";
  return fmt::format(
      "The source of {} is the same as before: the machine, its software or chance made the difference",
      util::some_of(names));
}

// The winners that the run did not try, a line each.
std::vector<std::string> winners_elsewhere(const std::string& hardware, const HardwareResults& results,
                                           const Rankings& rankings) {
  std::vector<std::string> notes;
  for (const auto& [definition, solutions] : results.definitions) {
    std::set<std::string> tried;
    for (const auto& [name, of_solution] : solutions) tried.insert(name.solution);
    const auto& ranking = rankings.of(hardware, definition);
    if (ranking.empty() || ranking.front().rank != 1 || tried.contains(ranking.front().solution)) continue;
    notes.push_back(fmt::format("Best of {}: {}, {} ms over {}, which was not run now", definition,
                                ranking.front().solution, present::format_ms(*ranking.front().latency_ms),
                                present::plural(ranking.front().workloads, "workload")));
  }
  return notes;
}

}  // namespace

EarlierResults::Key EarlierResults::key_of(const TraceRow& row) {
  const auto& evaluation = *row.evaluation;
  return {evaluation.hardware, row.definition, row.solution, row.workload->uuid,
          evaluation.origin.run_conditions};
}

EarlierResults::EarlierResults(const dataset::Dataset& dataset) {
  for (const TraceRow& row : dataset.traces) {
    if (row.solution != nullptr && row.evaluation && !row.evaluation->origin.is_sweep_point)
      earlier_[key_of(row)].push_back(&row);
  }
}

const TraceRow* EarlierResults::before(const TraceRow& row) const { return latest_before(row, false); }

const TraceRow* EarlierResults::passed_before(const TraceRow& row) const { return latest_before(row, true); }

const TraceRow* EarlierResults::latest_before(const TraceRow& row, bool only_passed) const {
  if (row.evaluation->origin.is_sweep_point) return nullptr;
  const auto found = earlier_.find(key_of(row));
  if (found == earlier_.end()) return nullptr;
  const auto* conditions = row.evaluation->origin.workload_conditions;
  const TraceRow* latest = nullptr;
  std::optional<std::int64_t> latest_time;
  for (const TraceRow* earlier : found->second) {
    if (only_passed && !earlier->passed()) continue;
    if (!dataset::is_same_work(*earlier, row)) continue;
    const bool is_alike = earlier->evaluation->origin.workload_conditions == conditions ||
                          dataset::fails_before_reference(*earlier) || dataset::fails_before_reference(row);
    if (!is_alike) continue;
    const auto time =
        util::parse_past_timestamp(earlier->evaluation->timestamp);  // an unreadable one is the oldest
    if (latest != nullptr && time < latest_time) continue;
    latest = earlier;
    latest_time = time;
  }
  return latest;
}

std::string failure_reason(model::Status status, const std::string& log) {
  return line_of(log, status == model::Status::COMPILE_ERROR);
}

namespace {

// Where the run before had other conditions: reports then count results under those of the latest run alone.
std::vector<std::string> other_conditions(const dataset::Dataset& dataset, const std::string& hardware,
                                          const Detail& result) {
  const auto& now = result.row.evaluation->origin;
  if (now.run_conditions == nullptr || now.is_sweep_point) return {};
  const TraceRow* latest = nullptr;
  std::optional<std::int64_t> latest_time;
  for (const TraceRow& row : dataset.traces) {
    if (!row.evaluation || *row.evaluation->hardware != hardware || row.evaluation->origin.is_sweep_point)
      continue;
    if (row.evaluation->origin.run_conditions == nullptr) continue;
    const auto time = util::parse_past_timestamp(row.evaluation->timestamp);
    if (latest != nullptr && time < latest_time) continue;
    latest = &row;
    latest_time = time;
  }
  if (latest == nullptr || *latest->evaluation->origin.run_conditions == *now.run_conditions) return {};
  return {fmt::format(
      "The conditions are others than before: {}; before: {}. Reports count results under those of the "
      "latest run alone: what was not run now has none there, but with --exclude-run last.",
      *now.run_conditions, *latest->evaluation->origin.run_conditions)};
}

}  // namespace

std::string result_text(const Detail& result, const EarlierResults& earlier) {
  const TraceRow& row = result.row;
  std::string text = status_text(result.status(), result.failure);
  if (const auto latency = row.latency_ms()) {
    text += fmt::format(" {} ms{}", present::format_ms(*latency), interval_text(share_of(row)));
    const double speedup = row.evaluation->performance->speedup_factor;
    if (speedup > 0)
      text += fmt::format(", {}x the reference", speedup_text(speedup, own_range(row), two_digits));
  }
  const std::string reason = row.passed() ? "" : failure_reason(result.status(), result.log);
  const std::string change = change_text(row, earlier);
  if (!change.empty()) text += row.passed() ? ", " + change : fmt::format(" ({})", change);
  if (!reason.empty()) text += ": " + reason;
  return text;
}

std::string without_rule(const std::string& reason) { return reason.substr(0, reason.find(" (rule: ")); }

std::vector<std::string> drift_notes(const Drift& drift) {
  std::vector<std::string> notes;
  const double change = drift.ratio - 1;
  if (drift.is_beyond(kSameWithin))
    notes.push_back(fmt::format(
        "{} of the same source are {:.1f}% {} than before (median): the machine or its software may have "
        "changed, and the changes that are shown include that",
        present::plural(drift.pairs, "result"), 100 * std::abs(change), change < 0 ? "faster" : "slower"));
  if (drift.is_scattered())
    notes.push_back(fmt::format(
        "Results of the same source lie so far apart from those before that the changes that are shown take "
        "noise {:.1f} times as wide as the results say themselves",
        drift.scatter));
  return notes;
}

std::string render_run_results(const dataset::Dataset& dataset, const EarlierResults& earlier,
                               const std::vector<Detail>& results, const present::TextStyle& style) {
  if (results.empty()) return "";
  const Rankings rankings(dataset, results);
  present::Document document(present::Format::table, style);
  const auto drifts = drifts_of(unchanged_in(results, earlier));
  for (const auto& [hardware, of_hardware] : by_hardware(results)) {
    const auto known = drifts.find(hardware);
    const Drift drift = known != drifts.end() ? known->second : Drift{};
    document.table(fmt::format("Results on {}:", hardware),
                   table_of(hardware, of_hardware, earlier, drift.scatter, rankings));
    document.notes(drift_notes(drift));
    if (const auto text = unexplained_text(of_hardware, earlier, drift.scatter); !text.empty())
      document.notes({text});
    document.notes(winners_elsewhere(hardware, of_hardware, rankings));
    const Detail& first = *of_hardware.definitions.begin()->second.begin()->second.all.front();
    document.notes(other_conditions(dataset, hardware, first));
  }
  document.notes(rankings.cautions_about(results));
  return document.text();
}

}  // namespace fib::report
