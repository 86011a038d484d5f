#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "chart/theme.h"
#include "dataset/trace_row.h"
#include "present/text.h"
#include "report/compare.h"
#include "util/clock.h"
#include "visual/charts.h"

namespace fib::visual {
namespace {

using chart::Spacing;
using chart::Unit;
using nlohmann::ordered_json;
using report::RunStanding;

// What a category says of its run when the pointer is on it.
std::string run_note(const report::HistoryRun& run) {
  std::string note = run.record.started_utc;
  if (run.record.dataset_git && run.record.dataset_git->commit) {
    note += "\ncommit " + run.record.dataset_git->commit->substr(0, report::kShortCommit);
    if (run.record.dataset_git->branch) note += " on " + *run.record.dataset_git->branch;
  }
  if (!run.record.hardware.empty()) note += "\n" + run.record.hardware;
  if (!run.has_record) note += "\nno record: killed, or still running";
  return note;
}

// Marks the points that are slower than the one before, which passed too, by the rule of fib report compare
// where both have intervals.
void mark_regressions(std::vector<chart::Point>& points, bool on_cuda) {
  const auto noise_of = [&](const chart::Point& a, const chart::Point& b) -> std::optional<double> {
    if (!a.high || !b.high) return std::nullopt;
    return report::noise_of_intervals(*a.high / *a.y - 1, *b.high / *b.y - 1, on_cuda);
  };
  const chart::Point* before = nullptr;
  for (chart::Point& point : points) {
    if (!point.y || point.failed) continue;
    if (before != nullptr) {
      const double ratio = *point.y / *before->y;
      point.flagged = report::verdict_of_ratio(ratio, noise_of(*before, point)) == report::Verdict::slower;
      if (point.flagged) point.note += fmt::format("\n{:.1f}% slower than the run before", (ratio - 1) * 100);
    }
    before = &point;
  }
}

chart::Point point_of(const RunStanding& standing, const report::RunTimes& times, double x) {
  chart::Point point;
  point.x = x;
  point.y = times.latency_ms();
  if (const auto share = times.interval(); share && point.y) {
    // A mean's interval is a factor. So is that of one workload where its lower end would be 0 or less: an
    // axis of logarithms has no 0.
    const bool is_factor = times.timed > 1 || *share >= 1;
    point.low = is_factor ? *point.y / (1 + *share) : *point.y * (1 - *share);
    point.high = *point.y * (1 + *share);
  }
  point.failed = standing.passed < standing.evaluations;
  point.note = fmt::format("{} of {} passed", standing.passed, standing.evaluations);
  if (const auto share = times.interval()) point.note += "\nrerun within " + present::format_interval(*share);
  for (const auto& [status, count] : standing.failed) point.note += fmt::format(", {} {}", count, status);
  return point;
}

// The runs of a solution, over the workloads that they have in common: others would be another line.
std::vector<chart::Point> comparable_points(const std::vector<std::pair<const RunStanding*, double>>& runs) {
  std::vector<const RunStanding*> standings;
  for (const auto& [standing, place] : runs) standings.push_back(standing);
  const report::CommonWorkloads common = report::common_workloads(standings);
  std::vector<chart::Point> points;
  const RunStanding* before = nullptr;
  for (const auto& [standing, place] : runs) {
    if (std::find(common.runs.begin(), common.runs.end(), standing) == common.runs.end()) continue;
    points.push_back(point_of(*standing, standing->times(common.works), place));
    if (before != nullptr && !before->sources.empty() && !standing->sources.empty() &&
        before->sources != standing->sources) {
      points.back().changed = true;
      points.back().note += "\nthe source has changed since the run before";
    }
    before = standing;
    if (common.works.size() < common.all)
      points.back().note += fmt::format("\nlatency over {} of {} workloads, which all these runs have",
                                        common.works.size(), common.all);
  }
  return points;
}

// Infinite where the last run failed.
double last_latency(const std::vector<chart::Point>& points) {
  const bool is_known = !points.empty() && points.back().y && !points.back().failed;
  return is_known ? *points.back().y : std::numeric_limits<double>::infinity();
}

constexpr std::ptrdiff_t kFastestShown = 20;
constexpr std::ptrdiff_t kOthersShown = 10;

// Of very many solutions, which are sorted, the first, and some of those at whose last run one looks first.
void keep_few(std::vector<chart::Series>& series) {
  if (std::ssize(series) <= kFastestShown + kOthersShown) return;
  const auto others =
      std::stable_partition(series.begin() + kFastestShown, series.end(), [](const chart::Series& one) {
        return !one.points.empty() && (one.points.back().flagged || one.points.back().failed);
      });
  series.erase(std::min(others, series.begin() + kFastestShown + kOthersShown), series.end());
}

std::vector<chart::Series> series_of(const std::map<std::string, std::vector<chart::Point>>& points) {
  std::vector<chart::Series> series;
  for (const auto& [solution, own] : points) series.push_back({solution, own});
  return series;
}

// The standings of the definition that are points of a sweep.
std::vector<const RunStanding*> swept(const report::HistoryRun& run, const std::string& definition) {
  std::vector<const RunStanding*> found;
  for (const auto& [key, standing] : run.traces.standings) {
    if (standing.definition == definition && standing.sweep.is_object()) found.push_back(&standing);
  }
  return found;
}

// The number that is swept, when it is one and the only thing that is.
std::optional<double> swept_number(const ordered_json& sweep) {
  if (sweep.size() != 1 || !sweep.begin()->is_number()) return std::nullopt;
  return sweep.begin()->get<double>();
}

std::string sweep_text(const ordered_json& sweep) {
  std::string text;
  for (const auto& [key, value] : sweep.items()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

// The number as the axis where every point has one, else categories in the order in which they were swept.
void place_points(const std::vector<const RunStanding*>& standings, chart::LineChart& result) {
  std::map<std::string, std::vector<chart::Point>> points;
  const bool numbers = std::all_of(standings.begin(), standings.end(),
                                   [](const auto* standing) { return swept_number(standing->sweep) > 0.0; });
  std::map<std::string, std::size_t> places;
  for (const RunStanding* standing : standings) {
    if (numbers) {
      points[standing->solution].push_back(
          point_of(*standing, standing->times(), *swept_number(standing->sweep)));
      result.x.title = standing->sweep.begin().key();
      continue;
    }
    const std::string label = sweep_text(standing->sweep);
    const auto [place, is_new] = places.emplace(label, result.categories.size());
    if (is_new) result.categories.push_back({label, ""});
    points[standing->solution].push_back(
        point_of(*standing, standing->times(), static_cast<double>(place->second)));
  }
  result.series = series_of(points);
}

// "2026-03-17T14:18:19", with what follows; "" where it cannot be read.
std::string start_of(const report::HistoryRun& run) {
  const std::string& time = run.record.started_utc;
  if (util::parse_timestamp(time) && time.size() >= 19) return time;
  // Without a record the id of a run of fib has it: "20260102T030405.000006Z-7".
  const std::string& id = run.record.run_id;
  if (id.size() < 15 || id[8] != 'T') return "";
  const std::string of_id = fmt::format("{}-{}-{}T{}:{}:{}", id.substr(0, 4), id.substr(4, 2),
                                        id.substr(6, 2), id.substr(9, 2), id.substr(11, 2), id.substr(13, 2));
  return util::parse_timestamp(of_id) ? of_id : "";
}

RunLabel label_of(const report::HistoryRun& run, bool with_year, bool with_seconds) {
  const std::string time = start_of(run);
  if (time.empty()) return {run.record.run_id, ""};
  RunLabel label{
      (with_year ? time.substr(0, 10) : time.substr(5, 5)) + " " + time.substr(11, with_seconds ? 8 : 5), ""};
  if (run.record.dataset_git && run.record.dataset_git->commit)
    label.commit = run.record.dataset_git->commit->substr(0, report::kShortCommit);
  return label;
}

}  // namespace

std::string few_solutions_text(const chart::LineChart& history, std::size_t solutions) {
  if (history.series.size() >= solutions) return "";
  const bool has_others = std::ssize(history.series) > kFastestShown;
  return fmt::format("{} of {}: the fastest{}", history.series.size(), present::plural(solutions, "solution"),
                     has_others ? ", and others that slowed down or failed last" : "");
}

chart::LineChart history_chart(const HistorySubject& subject, const std::vector<SubjectRun>& runs,
                               const std::map<std::string, RunLabel>& labels) {
  chart::LineChart result;
  result.title = subject.definition;
  result.subtitle =
      "latency over runs, geometric mean over the workloads that a solution's runs have in common; ✗: "
      "something failed";
  result.x.title = "run";
  result.y = {"latency", Spacing::log, Unit::milliseconds};
  std::map<std::string, std::vector<std::pair<const RunStanding*, double>>> tried_in;  // with the place
  for (const auto& [run, standings] : runs) {
    const auto place = static_cast<double>(result.categories.size());
    for (const RunStanding* standing : standings) tried_in[standing->solution].emplace_back(standing, place);
    const RunLabel& label = labels.at(run->record.run_id);
    result.categories.push_back({label.time, run->record.run_id + "\n" + run_note(*run), label.commit});
  }
  std::map<std::string, std::vector<chart::Point>> points;
  for (const auto& [solution, tried] : tried_in) points[solution] = comparable_points(tried);
  const bool on_cuda = dataset::device_kind(subject.hardware) == model::DeviceKind::cuda;
  for (auto& [solution, own] : points) mark_regressions(own, on_cuda);
  result.series = series_of(points);
  // As in leaderboards: who is fastest now comes first, who fails now last.
  std::stable_sort(result.series.begin(), result.series.end(), [](const auto& left, const auto& right) {
    return last_latency(left.points) < last_latency(right.points);
  });
  keep_few(result.series);
  const std::string few = few_solutions_text(result, points.size());
  if (!few.empty()) result.subtitle += "; " + few;
  return result;
}

std::map<std::string, RunLabel> run_labels(const report::DatasetHistory& history) {
  std::set<std::string> years;
  std::set<std::string> minutes;
  bool is_unique = true;
  for (const auto& run : history.runs) {
    const std::string time = start_of(run);
    if (time.empty()) continue;
    years.insert(time.substr(0, 4));
    is_unique = minutes.insert(time.substr(0, 16)).second && is_unique;
  }
  std::map<std::string, RunLabel> labels;
  for (const auto& run : history.runs)
    labels[run.record.run_id] = label_of(run, years.size() > 1, !is_unique);
  return labels;
}

void put_greys_last(std::vector<chart::Series>& series) {
  std::stable_partition(series.begin(), series.end(),
                        [](const auto& one) { return one.colour < chart::kColours; });
}

chart::LineChart coloured(chart::LineChart chart, const Colours& colours) {
  for (chart::Series& series : chart.series) {
    if (const auto found = colours.find(series.name); found != colours.end()) series.colour = found->second;
  }
  put_greys_last(chart.series);
  return chart;
}

chart::LineChart sweep_chart(const report::HistoryRun& run, const std::string& definition) {
  chart::LineChart result;
  result.title = definition;
  result.subtitle = "latency over what run " + run.record.run_id + " swept";
  result.x = {"sweep", Spacing::log2, Unit::number};
  result.y = {"latency", Spacing::log, Unit::milliseconds};
  place_points(swept(run, definition), result);
  return result;
}

std::vector<std::string> swept_definitions(const report::HistoryRun& run) {
  std::set<std::string> names;
  for (const auto& [key, standing] : run.traces.standings) {
    if (standing.sweep.is_object()) names.insert(standing.definition);
  }
  return {names.begin(), names.end()};
}

std::map<HistorySubject, std::vector<SubjectRun>> subjects_of(const report::DatasetHistory& history) {
  std::map<HistorySubject, std::vector<SubjectRun>> subjects;
  for (const report::HistoryRun& run : history.runs) {
    for (const auto& [key, standing] : run.traces.standings) {
      if (standing.sweep.is_object()) continue;
      std::vector<SubjectRun>& runs = subjects[{standing.definition, run.record.hardware}];
      if (runs.empty() || runs.back().run != &run) runs.push_back({&run, {}});
      runs.back().standings.push_back(&standing);
    }
  }
  return subjects;
}

}  // namespace fib::visual
