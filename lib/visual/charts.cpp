#include "visual/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "chart/number_text.h"
#include "present/text.h"
#include "report/speedup_text.h"
#include "report/summary_tables.h"
#include "report/workload_text.h"
#include "roofline/reached.h"
#include "util/find.h"
#include "visual/size.h"

namespace fib::visual {
namespace {

using chart::Spacing;
using chart::Unit;

std::string against_text(report::Against against) { return "against the " + report::name_of(against); }

// Bands around more lines than this hide each other.
constexpr std::size_t kLinesWithBands = 6;
// Steps of a fast_p curve that are drawn: more cannot be told apart.
constexpr std::size_t kCurveSteps = 200;
constexpr double kLowestP = 0.1;
constexpr std::size_t kMostBoxes = 40;  // of solutions: a page, and the axis in sight
constexpr std::size_t kMostLines = 20;
constexpr std::size_t kMostLinePoints = 60;  // of one line; markers of more hide each other
constexpr std::size_t kMostStatusColumns = 100;
constexpr std::size_t kMostStatusRows = 400;

chart::Axis speedup_axis() { return {"speedup", Spacing::log, Unit::ratio}; }

std::vector<double> speedups_of(const report::Solved& solved) {
  std::vector<double> speedups;
  for (const auto& [problem, speedup] : solved) {
    if (speedup) speedups.push_back(*speedup);
  }
  return speedups;
}

chart::Box box_of(const std::string& label, std::vector<double> speedups) {
  chart::Box box;
  box.label = label;
  box.values = chart::quartiles_of(std::move(speedups), Spacing::log);
  box.text = box.values ? report::times_text(box.values->median) : "no speedup known";
  return box;
}

std::string quality_note(const report::Detail& detail) {
  std::string note = report::workload_text(*detail.row.workload);
  if (detail.cv) note += fmt::format("\nCV {:.2f}%", 100 * *detail.cv);
  if (detail.clock != nullptr) note += "\nclock " + *detail.clock;
  return note;
}

chart::Point latency_point(const report::Detail& detail, double size, bool with_band) {
  chart::Point point;
  point.x = size;
  point.y = detail.latency_ms();
  point.failed = !detail.row.passed();
  const auto& spread = detail.row.evaluation->calls.spread;
  if (with_band && spread && point.y) {
    point.low = std::min(spread->q25_ms, *point.y);
    point.high = std::max(spread->q75_ms, *point.y);
  }
  point.note = quality_note(detail);
  if (point.failed) point.note += "\n" + std::string(model::name_of(detail.status()));
  return point;
}

// At most `most` of the workloads, which have these sizes, by uuid: of equal parts of the axis one each, and
// the largest.
std::set<std::string> spread_over(const std::map<std::string, double>& sizes, Spacing spacing,
                                  std::size_t most) {
  std::set<std::string> shown;
  std::vector<std::pair<double, std::string>> places;
  for (const auto& [uuid, size] : sizes) {
    if (sizes.size() <= most) shown.insert(uuid);
    if (spacing == Spacing::linear || size > 0)
      places.emplace_back(spacing == Spacing::linear ? size : std::log2(size), uuid);
  }
  if (sizes.size() <= most || places.empty()) return shown;
  std::sort(places.begin(), places.end());
  const double first = places.front().first;
  const double width = (places.back().first - first) / static_cast<double>(most - 1);
  double part = -1;
  for (const auto& [place, uuid] : places) {
    const double own = width > 0 ? std::floor((place - first) / width) : 0;
    if (own > part) shown.insert(uuid);
    part = std::max(part, own);
  }
  shown.insert(places.back().second);
  return shown;
}

// By workload uuid: the lowest latency of the baseline's solutions.
std::map<std::string, double> latencies_of_baseline(const DefinitionScene& definition,
                                                    const report::Leaderboard& board) {
  std::set<std::string> solutions;
  for (const report::Standing& standing : board.standings) {
    if (standing.author == board.baseline_author) solutions.insert(standing.solution);
  }
  std::map<std::string, double> latencies;
  for (const report::Detail* detail : definition.results) {
    const auto latency = detail->latency_ms();
    if (!latency || !solutions.contains(*detail->row.solution)) continue;
    const auto [entry, is_new] = latencies.emplace(detail->row.workload->uuid, *latency);
    if (!is_new) entry->second = std::min(entry->second, *latency);
  }
  return latencies;
}

chart::Tone tone_of(model::Status status) {
  return status == model::Status::PASSED ? chart::Tone::good : chart::Tone::bad;
}

std::vector<chart::Roof> bandwidths_of(const roofline::Peak& peak) {
  return {{"memory " + chart::value_text(peak.bytes_per_s, Unit::bytes) + "/s", peak.bytes_per_s}};
}

// The peaks of the types of operands that the workloads have.
std::vector<chart::Roof> peaks_of(const report::HardwareSol& sol) {
  std::vector<chart::Roof> roofs;
  for (const report::WorkloadSol& workload : sol.workloads) {
    if (!workload.work || !workload.work->flops) continue;
    const auto arithmetic = workload.work->arithmetic;
    const double rate = sol.peak->flops_per_s(arithmetic);
    const std::string name =
        fmt::format("{} {}flop/s", roofline::name_of(arithmetic), chart::value_text(rate, Unit::number));
    const bool known =
        std::any_of(roofs.begin(), roofs.end(), [&](const chart::Roof& roof) { return roof.name == name; });
    if (rate > 0 && !known) roofs.push_back({name, rate});
  }
  return roofs;
}

}  // namespace

chart::BarChart authors_chart(const HardwareScene& hardware) {
  const report::AuthorRanking& ranking = hardware.summary.authors;
  chart::BarChart result;
  result.title = "Authors by arithmetic mean speedup";
  result.subtitle = against_text(ranking.against);
  result.value = {"arithmetic mean of speedups", Spacing::linear, Unit::ratio, true};
  result.reference = chart::Reference{1, report::name_of(ranking.against)};
  for (const auto& [author, score] : ranking.rows) {
    chart::Bar bar;
    bar.label = author;
    bar.value = score.avg_speedup;
    bar.text = report::times_text(score.avg_speedup);
    const std::string mean = score.geomean_speedup > 0
                                 ? fmt::format("geometric mean {:.4f}", score.geomean_speedup)
                                 : "no geometric mean";
    bar.note = fmt::format("{}, success {:.1f}%, wins {:.1f}%", mean, 100 * score.success_rate,
                           100 * score.win_rate);
    if (score.avg_speedup == 0) bar.tone = chart::Tone::bad;
    result.bars.push_back(std::move(bar));
  }
  return result;
}

chart::LineChart fast_p_chart(const report::ProblemResults& problems) {
  chart::LineChart result;
  result.title = "fast_p";
  result.subtitle =
      fmt::format("share of {} solved and faster than p times the {}",
                  present::plural(problems.problems, "problem"), report::name_of(problems.against));
  result.x = {"p", Spacing::log, Unit::ratio};
  result.y = {"share of problems", Spacing::linear, Unit::share, true, std::nullopt, 1};
  result.steps = true;
  result.x_lines = {{1, ""}};
  for (const auto& [author, solved] : problems.authors) {
    chart::Series series{author, {{kLowestP, report::fast_p(solved, problems.problems, kLowestP)}}};
    const auto curve = report::fast_p_curve(solved, problems.problems);
    const std::size_t stride = 1 + curve.size() / kCurveSteps;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const bool drawn = i % stride == 0 || i + 1 == curve.size();
      if (drawn && curve[i].first > kLowestP) series.points.push_back({curve[i].first, curve[i].second});
    }
    series.colour = result.series.size();  // by name, whoever is ahead
    result.series.push_back(std::move(series));
  }
  const auto as_fast = [&](const chart::Series& series) {
    return report::fast_p(problems.authors.at(series.name), problems.problems, 1);
  };
  std::stable_sort(result.series.begin(), result.series.end(),
                   [&](const auto& left, const auto& right) { return as_fast(left) > as_fast(right); });
  put_greys_last(result.series);
  return result;
}

chart::LineChart fast_p_samples(const report::ProblemResults& problems, std::size_t points) {
  chart::LineChart result = fast_p_chart(problems);
  double highest = 2 * kLowestP;
  for (const chart::Series& series : result.series) highest = std::max(highest, series.points.back().x);
  for (chart::Series& series : result.series) {
    const report::Solved& solved = problems.authors.at(series.name);
    series.points.clear();
    for (std::size_t i = 0; i < points; ++i) {
      const double place = static_cast<double>(i) / static_cast<double>(points - 1);
      const double p = kLowestP * std::pow(highest / kLowestP, place);
      series.points.push_back({p, report::fast_p(solved, problems.problems, p)});
    }
  }
  return result;
}

chart::BoxChart author_speedups_chart(const HardwareScene& hardware) {
  chart::BoxChart result;
  result.title = "Speedups by author";
  result.subtitle = against_text(hardware.problems.against) + ", each author's best on every workload";
  result.value = speedup_axis();
  result.reference = chart::Reference{1, report::name_of(hardware.problems.against)};
  for (const auto& [author, solved] : hardware.problems.authors)
    result.boxes.push_back(box_of(author, speedups_of(solved)));
  // In the order of the ranking; who is not ranked comes last.
  const auto& ranking = hardware.summary.authors.rows;
  const auto place_of = [&](const chart::Box& box) {
    return std::find_if(ranking.begin(), ranking.end(),
                        [&](const auto& row) { return row.first == box.label; }) -
           ranking.begin();
  };
  std::stable_sort(result.boxes.begin(), result.boxes.end(),
                   [&](const auto& left, const auto& right) { return place_of(left) < place_of(right); });
  return result;
}

chart::Histogram speedups_histogram(const HardwareScene& hardware) {
  std::vector<double> all;
  for (const auto& [author, solved] : hardware.problems.authors) {
    const auto own = speedups_of(solved);
    all.insert(all.end(), own.begin(), own.end());
  }
  chart::Histogram result;
  result.title = "Distribution of speedups";
  result.subtitle = against_text(hardware.problems.against) + ", all authors and workloads";
  result.value = speedup_axis();
  result.bins = chart::make_bins(all, Spacing::log, {.edge = 1});  // as fast as the yardstick
  result.markers = {{1, report::name_of(hardware.problems.against)}};
  result.count_title = "results";
  return result;
}

chart::RooflineChart roofline_chart(const HardwareScene& hardware) {
  chart::RooflineChart result;
  result.title = "Roofline";
  result.subtitle = "the fastest solution of every workload";
  if (hardware.sol == nullptr || !hardware.sol->peak) return result;
  const report::HardwareSol& sol = *hardware.sol;
  result.bandwidths = bandwidths_of(*sol.peak);
  result.peaks = peaks_of(sol);
  for (const report::WorkloadSol& workload : sol.workloads) {
    if (!workload.work || workload.points.empty()) continue;
    const report::SolPoint& best = workload.points.front();
    const auto x = roofline::intensity(*workload.work);
    const auto y = roofline::achieved_flops_per_s(*workload.work, best.latency_ms);
    if (!x || !y) continue;
    if (result.series.empty() || result.series.back().name != workload.definition)
      result.series.push_back({workload.definition, {}});
    std::string note = report::workload_text(*workload.workload) + "\n" + best.solution;
    if (best.share) note += fmt::format("\n{:.1f}% of the bound", 100 * *best.share);
    result.series.back().points.push_back({*x, *y, std::move(note)});
  }
  return result;
}

chart::BarChart solutions_chart(const report::Leaderboard& board) {
  const bool with_speedups =
      std::any_of(board.standings.begin(), board.standings.end(),
                  [](const report::Standing& standing) { return standing.speedup.has_value(); });
  chart::BarChart result;
  result.title = board.definition;
  const std::string what = with_speedups ? "speedup " + against_text(board.against) : "latency";
  result.subtitle = what + (with_speedups && board.every_trace ? ", mean" : ", geometric mean");
  result.value = with_speedups ? chart::Axis{"speedup", Spacing::linear, Unit::ratio, true}
                               : chart::Axis{"latency", Spacing::linear, Unit::milliseconds, true};
  if (with_speedups) result.reference = chart::Reference{1, report::name_of(board.against)};
  for (const report::Standing& standing : board.standings) {
    chart::Bar bar;
    bar.label = standing.solution;
    bar.value = with_speedups ? standing.speedup : standing.latency_ms;
    if (!bar.value) bar.text = standing.passed == 0 ? "failed" : "not timed";
    if (with_speedups && bar.value) bar.text = report::times_text(*bar.value);
    bar.note = fmt::format("{} of {} workloads passed", standing.passed, standing.workloads);
    if (standing.passed < standing.workloads) bar.tone = chart::Tone::bad;
    result.bars.push_back(std::move(bar));
  }
  return result;
}

chart::LineChart latency_chart(const Scene& scene, const DefinitionScene& definition) {
  const model::Definition* known = util::find_or_null(scene.dataset.definitions, definition.name);
  const SizeAxis size = size_axis(known, definition.workloads);
  chart::LineChart result;
  result.title = definition.name;
  result.subtitle = "latency against size";
  result.x = {size.title(), size.kind == SizeAxis::Kind::place ? Spacing::linear : Spacing::log2,
              size.kind == SizeAxis::Kind::bytes ? Unit::bytes : Unit::number};
  if (size.kind == SizeAxis::Kind::bytes) result.x.spacing = Spacing::log;
  result.y = {"latency", Spacing::log, Unit::milliseconds};
  std::map<std::string, double> sizes;
  for (std::size_t i = 0; i < definition.workloads.size(); ++i)
    sizes[definition.workloads[i]->uuid] = size_of(size, known, *definition.workloads[i], i);
  const auto shown = spread_over(sizes, result.x.spacing, kMostLinePoints);
  if (shown.size() < sizes.size())
    result.subtitle += fmt::format("; {} of {}, and what failed on others", shown.size(),
                                   present::plural(sizes.size(), "workload"));
  std::map<std::string, std::vector<chart::Point>> points;
  const bool with_bands = definition.solutions.size() <= kLinesWithBands;
  for (const report::Detail* detail : definition.results) {
    const std::string& workload = detail->row.workload->uuid;
    if (!shown.contains(workload) && detail->row.passed()) continue;
    points[*detail->row.solution].push_back(latency_point(*detail, sizes.at(workload), with_bands));
  }
  for (const std::string& solution : definition.solutions) {
    if (result.series.size() == kMostLines) {
      result.subtitle += fmt::format("; the first {} of {}", kMostLines,
                                     present::plural(definition.solutions.size(), "solution"));
      break;
    }
    result.series.push_back({solution, std::move(points[solution])});
  }
  return result;
}

chart::LineChart small_latency_chart(const Scene& scene, const DefinitionScene& definition) {
  constexpr std::size_t kShown = 2;
  chart::LineChart result = latency_chart(scene, definition);
  if (result.series.size() > kShown) result.series.resize(kShown);
  for (chart::Series& series : result.series) {
    for (chart::Point& point : series.points) point.low = point.high = std::nullopt;
  }
  result.y.title.clear();
  result.height = 190;
  return result;
}

chart::BoxChart solution_speedups_chart(const DefinitionScene& definition, const report::Leaderboard& board,
                                        const Colours& colours) {
  const auto yardstick = board.against == report::Against::baseline ? latencies_of_baseline(definition, board)
                                                                    : std::map<std::string, double>();
  std::map<std::string, std::vector<double>> speedups;
  for (const report::Detail* detail : definition.results) {
    const auto latency = detail->latency_ms();
    if (!latency) continue;
    double speedup = detail->row.evaluation->performance->speedup_factor;
    if (board.against == report::Against::baseline) {
      const auto found = yardstick.find(detail->row.workload->uuid);
      speedup = found == yardstick.end() ? 0 : found->second / *latency;
    }
    if (speedup > 0) speedups[*detail->row.solution].push_back(speedup);
  }
  chart::BoxChart result;
  result.title = definition.name;
  result.subtitle = "speedups over the workloads, " + against_text(board.against);
  result.value = speedup_axis();
  result.reference = chart::Reference{1, report::name_of(board.against)};
  std::size_t left_out = 0;
  for (const std::string& solution : definition.solutions) {
    const auto found = speedups.find(solution);
    if (found == speedups.end()) continue;
    if (result.boxes.size() == kMostBoxes) {
      ++left_out;
      continue;
    }
    chart::Box box = box_of(solution, found->second);
    if (const auto colour = colours.find(solution); colour != colours.end()) box.colour = colour->second;
    const auto standing = std::find_if(board.standings.begin(), board.standings.end(),
                                       [&](const report::Standing& one) { return one.solution == solution; });
    if (box.values && standing != board.standings.end() && standing->passed < standing->workloads) {
      box.text = fmt::format("({}), passed {} of {}", report::times_text(box.values->median),
                             standing->passed, standing->workloads);
    }
    result.boxes.push_back(std::move(box));
  }
  if (left_out > 0) result.subtitle += fmt::format("; {} more", left_out);
  return result;
}

std::string status_sign(model::Status status) {
  switch (status) {
    case model::Status::PASSED:
      return "✓";
    case model::Status::INCORRECT_SHAPE:
      return "S";
    case model::Status::INCORRECT_NUMERICAL:
      return "N";
    case model::Status::INCORRECT_DTYPE:
      return "D";
    case model::Status::RUNTIME_ERROR:
      return "R";
    case model::Status::COMPILE_ERROR:
      return "C";
    case model::Status::TIMEOUT:
      break;
  }
  return "T";
}

chart::MatrixChart status_chart(const DefinitionScene& definition) {
  chart::MatrixChart result;
  result.title = definition.name;
  result.subtitle =
      "✓ passed; incorrect N numerical, S shape, D dtype; R runtime error, C compile error, T timeout";
  std::map<std::string, std::size_t> columns;
  for (const model::Workload* workload : some_of_each_size(definition.workloads, kMostStatusColumns)) {
    columns[workload->uuid] = result.columns.size();
    result.columns.push_back(report::workload_text(*workload));
  }
  if (columns.size() < definition.workloads.size())
    result.subtitle +=
        fmt::format("; {} of {}", columns.size(), present::plural(definition.workloads.size(), "workload"));
  std::map<std::string, std::size_t> rows;
  for (const std::string& solution : definition.solutions) {
    if (rows.size() == kMostStatusRows) {
      result.subtitle += fmt::format("; the first {} of {}", kMostStatusRows,
                                     present::plural(definition.solutions.size(), "solution"));
      break;
    }
    rows[solution] = result.rows.size();
    result.rows.push_back(solution);
    result.cells.emplace_back(result.columns.size());
  }
  for (const report::Detail* detail : definition.results) {
    const auto row = rows.find(*detail->row.solution);
    const auto column = columns.find(detail->row.workload->uuid);
    if (row == rows.end() || column == columns.end()) continue;
    const auto status = detail->status();
    result.cells[row->second][column->second] =
        chart::Cell{tone_of(status), status_sign(status), std::string(model::name_of(status))};
  }
  return result;
}

}  // namespace fib::visual
