#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "chart/markup.h"
#include "dataset/ranking.h"
#include "present/text.h"
#include "report/latency_cell.h"
#include "report/rank_cell.h"
#include "report/speedup_text.h"
#include "report/summary_tables.h"
#include "report/workload_text.h"
#include "util/median.h"
#include "util/xml.h"
#include "visual/charts.h"
#include "visual/html.h"
#include "visual/overview.h"
#include "visual/page_parts.h"
#include "visual/page_table.h"
#include "visual/size.h"

namespace fib::visual {
namespace {

constexpr std::size_t kRowReasonColumns = 100;
constexpr std::size_t kWideColumns = 6;    // as many have their names written across
constexpr std::size_t kFewSolutions = 12;  // as many have columns, however few workloads there are
constexpr std::size_t kMostColumns = 100;  // of the results: where each has one, cells are the square of them

// What went wrong, in a word.
std::string fault_word(model::Status status) {
  switch (status) {
    case model::Status::INCORRECT_SHAPE:
      return "shape";
    case model::Status::INCORRECT_NUMERICAL:
      return "wrong";
    case model::Status::INCORRECT_DTYPE:
      return "dtype";
    case model::Status::RUNTIME_ERROR:
      return "error";
    case model::Status::COMPILE_ERROR:
      return "build";
    case model::Status::TIMEOUT:
      return "timeout";
    case model::Status::PASSED:
      break;
  }
  return "passed";
}

// Null where nobody passed everything, the first cannot be told apart or its lead may be noise, or nobody
// else passed everything.
const report::Standing* sole_winner(const report::Leaderboard& board) {
  if (board.standings.size() < 2) return nullptr;
  const report::Standing& first = board.standings.front();
  const auto& next = board.standings[1];
  const bool is_ahead = next.rank && next.rank != first.rank && !may_be_noise(first, next);
  return first.rank == 1 && first.passed == first.workloads && is_ahead ? &first : nullptr;
}

// `fastest` is the lowest latency of the rows that passed everything: bars are speeds, and its own is full.
std::vector<PageCell> standing_row(const Scene& scene, const Colours& colours, const report::RankCells& ranks,
                                   const report::Standing& standing, double fastest, bool is_winner) {
  const bool passed_all = standing.passed == standing.workloads;
  PageCell latency = plain("-");
  if (standing.latency_ms) {
    latency = number(report::latency_cell(standing.latency_ms, passed_all).text, *standing.latency_ms);
    if (passed_all) latency.bar = fastest / *standing.latency_ms;
  }
  PageCell of_workloads = number(fmt::format("{} of {}", standing.passed, standing.workloads),
                                 static_cast<double>(standing.passed));
  if (standing.runs.runs > 1 && standing.runs.passed < standing.runs.runs)
    of_workloads.content +=
        fmt::format("<br>all passed in {} of {} runs", standing.runs.passed, standing.runs.runs);
  of_workloads.css = passed_all ? "" : "f";
  PageCell interval = standing.interval
                          ? number(present::format_interval(*standing.interval), *standing.interval)
                          : plain("-");
  if (!passed_all) latency.css = interval.css = "dim";  // over fewer workloads than those of others
  return {
      standing.rank ? number(ranks.of(standing.rank).text, static_cast<double>(*standing.rank)) : plain("-"),
      {named_dot(colours.at(standing.solution),
                 link_to(solution_id(scene, standing.solution), standing.solution)),
       std::nullopt, std::nullopt, is_winner ? "won" : ""},
      plain(standing.author.value_or("-")),
      latency,
      interval,
      standing.speedup && *standing.speedup > 0 && passed_all
          ? number(report::speedup_text(*standing.speedup, standing.speedup_range,
                                        report::digits_for(standing.interval)) +
                       "x",
                   *standing.speedup)
          : plain("-"),
      of_workloads};
}

std::string standings(const Scene& scene, const HardwareScene& hardware, const std::string& definition) {
  const report::Leaderboard* board = hardware.summary.leaderboard(definition);
  if (board == nullptr) return "";
  double fastest = std::numeric_limits<double>::infinity();
  for (const auto& standing : board->standings) {
    if (standing.passed == standing.workloads && standing.latency_ms.value_or(0) > 0)
      fastest = std::min(fastest, *standing.latency_ms);
  }
  const report::Standing* winner = sole_winner(*board);
  PageTable table{{{"Rank", true},
                   name_column("Solution"),
                   {"Author", false, true},
                   {"Latency (ms)", true},
                   {"Rerun within", true, true},
                   {"Speedup", true},
                   {"Passed", true}},
                  {},
                  true};
  const report::RankCells ranks(board->standings);
  for (const auto& standing : board->standings)
    table.rows.push_back(
        standing_row(scene, scene.colours.at(definition), ranks, standing, fastest, &standing == winner));
  const bool has_speedups =
      std::any_of(board->standings.begin(), board->standings.end(),
                  [](const auto& one) { return one.passed == one.workloads && one.speedup.value_or(0) > 0; });
  return to_html(
      table,
      fmt::format("Solutions on {}", hardware.name) +
          (std::isfinite(fastest) ? ", longer bars are faster" : "") +
          (has_speedups ? fmt::format(", speedups against the {}", report::name_of(board->against)) : ""));
}

// Four digits, or all before the point.
std::string short_ms(double milliseconds) {
  if (milliseconds < 1e-4) return present::format_ms(milliseconds);
  const int decimals = 3 - static_cast<int>(std::floor(std::log10(milliseconds)));
  return fmt::format("{:.{}f}", milliseconds, std::clamp(decimals, 0, 8));
}

// How many times as long as the fastest of the workload, as a class of page.css: "", "s1" to "s4".
std::string shade_of(double times) {
  if (times <= 1.1) return "";
  if (times <= 1.5) return " s1";
  if (times <= 3) return " s2";
  return times <= 10 ? " s3" : " s4";
}

// `fastest`: the lowest latency of the workload; null: nobody's counts.
std::string result_cell(const report::Detail* detail, const report::Detail* fastest, Logs& logs) {
  if (detail == nullptr) return "<td>";
  if (detail->row.passed()) {
    const auto latency = detail->latency_ms();
    if (fastest == detail) return "<td class=\"p w\">" + short_ms(*latency);
    const std::string shade =
        latency && fastest != nullptr ? shade_of(*latency / *fastest->latency_ms()) : "";
    const std::string text = latency ? short_ms(*latency) : "✓";
    if (latency && fastest == nullptr) return "<td>" + text;  // nobody to compare it with
    return "<td class=" + (shade.empty() ? "p" : "\"p" + shade + "\"") + ">" + text;
  }
  std::string why(model::name_of(detail->status()));
  const std::string reason = visual::reason_of(*detail);
  if (!reason.empty()) why += ": " + present::shorten(reason, kRowReasonColumns);
  return "<td class=f>" +
         tag("a", {{"href", "#" + logs.link(*detail)}, {"title", why}}, fault_word(detail->status()));
}

// The fastest result of each workload, by uuid, of solutions that passed every workload.
std::map<std::string, const report::Detail*> fastest_of(const DefinitionScene& definition,
                                                        const report::Leaderboard* board) {
  std::set<std::string> complete;
  std::map<std::string, const report::Detail*> fastest;
  if (board == nullptr) return fastest;
  for (const report::Standing& standing : board->standings) {
    if (standing.passed == standing.workloads) complete.insert(standing.solution);
  }
  for (const report::Detail* detail : definition.results) {
    const auto latency = detail->latency_ms();
    if (!latency || !complete.contains(*detail->row.solution)) continue;
    const report::Detail*& best = fastest[detail->row.workload->uuid];
    if (best == nullptr || *latency < *best->latency_ms()) best = detail;
  }
  return fastest;
}

std::string column_head(const std::string& content) {
  return tag("th", {{"scope", "col"}}, tag("span", {}, content));
}

std::string row_head(const std::string& content) { return "<tr>" + tag("th", {{"scope", "row"}}, content); }

// How many results of each solution, by name, and of each workload, by uuid, did not pass.
class FailureCounts {
 public:
  explicit FailureCounts(const DefinitionScene& definition) {
    for (const report::Detail* detail : definition.results) {
      if (detail->row.passed()) continue;
      ++of_solutions_[*detail->row.solution];
      ++of_workloads_[detail->row.workload->uuid];
    }
  }
  // " 3 failed"; "" where all passed.
  [[nodiscard]] std::string markup_of(const std::string& solution) const {
    return markup(of_solutions_, solution);
  }
  [[nodiscard]] std::string markup_of(const model::Workload& workload) const {
    return markup(of_workloads_, workload.uuid);
  }

 private:
  using Counts = std::map<std::string, std::size_t>;
  static std::string markup(const Counts& counts, const std::string& name) {
    const auto found = counts.find(name);
    if (found == counts.end()) return "";
    return " " + tag("b", {{"class", "failed"}}, fmt::format("{} failed", found->second));
  }

  Counts of_solutions_;
  Counts of_workloads_;
};

// Workloads stand below each other unless there are fewer of them than of many solutions.
std::string results_table(const Scene& scene, const DefinitionScene& definition,
                          const report::Leaderboard* board, Logs& logs) {
  const Colours& colours = scene.colours.at(definition.name);
  const auto link = [&](const std::string& solution) {
    return link_to(solution_id(scene, solution), solution);
  };
  const auto dot_and_link = [&](const std::string& solution) {
    return named_dot(colours.at(solution), link(solution));
  };
  const auto words = [](const model::Workload& workload) {
    return breakable(present::printable(report::workload_text(workload)));
  };
  ResultTable results = definition.by_solution();
  const auto fastest = fastest_of(definition, board);
  const auto cell = [&](const std::string& solution, const model::Workload& workload) {
    const auto& row = results[solution];
    const auto found = row.find(workload.uuid);
    const report::Detail* detail = found == row.end() ? nullptr : found->second;
    const auto best = fastest.find(workload.uuid);
    return result_cell(detail, best != fastest.end() ? best->second : nullptr, logs);
  };
  const FailureCounts failed(definition);
  const bool workloads_down = definition.solutions.size() <= kFewSolutions ||
                              definition.workloads.size() >= definition.solutions.size();
  std::vector<std::string> solutions = definition.solutions;
  std::vector<const model::Workload*> workloads = definition.workloads;
  std::string left_out;
  if (workloads_down && solutions.size() > kMostColumns) {
    left_out = fmt::format(" Of {} the first {} are here.", present::plural(solutions.size(), "solution"),
                           kMostColumns);
    solutions.resize(kMostColumns);
  } else if (workloads.size() > kMostColumns && !workloads_down) {
    left_out = fmt::format(" Of {} {} are here, from the smallest to the largest.",
                           present::plural(workloads.size(), "workload"), kMostColumns);
    workloads = some_of_each_size(workloads, kMostColumns);
  }
  const std::size_t columns = workloads_down ? solutions.size() : workloads.size();
  const bool has_latencies = std::any_of(definition.results.begin(), definition.results.end(),
                                         [](const auto* detail) { return detail->latency_ms().has_value(); });
  std::string text = std::string("<caption>") + (has_latencies ? "Latency in ms" : "Verdict") +
                     " of every workload and solution</caption><thead><tr><th scope=col>";
  text += workloads_down ? "Workload" : "Solution";
  if (workloads_down) {
    for (const std::string& solution : solutions)
      text += column_head((solutions.size() <= kWideColumns ? dot_and_link(solution) : link(solution)) +
                          failed.markup_of(solution));
    text += "</thead><tbody>";
    for (const model::Workload* workload : workloads) {
      text += row_head(words(*workload) + failed.markup_of(*workload));
      for (const std::string& solution : solutions) text += cell(solution, *workload);
      text += "\n";
    }
  } else {
    for (const model::Workload* workload : workloads)
      text += column_head(words(*workload) + failed.markup_of(*workload));
    text += "</thead><tbody>";
    for (const std::string& solution : solutions) {
      text += row_head(dot_and_link(solution) + failed.markup_of(solution));
      for (const model::Workload* workload : workloads) text += cell(solution, *workload);
      text += "\n";
    }
  }
  const std::size_t rows = workloads_down ? workloads.size() : solutions.size();
  return table_box(rows, tag("table", {{"class", columns <= kWideColumns ? "matrix few" : "matrix"}},
                             text + "</tbody>")) +
         "<p class=legend>" +
         (fastest.empty()
              ? ""
              : "Bold: the fastest of its workload among the solutions that passed every one; the "
                "yellower, the slower beside it: above 1.1, 1.5, 3 and 10 times. ") +
         "A failure (wrong numbers, shape or dtype; build, error, timeout) links to its log; empty: not "
         "tried." +
         left_out + "</p>\n";
}

// What the measurements of one solution were like.
struct Quality {
  std::vector<double> cvs;
  std::set<std::string> clocks;
  std::set<std::string> flushes;
  std::vector<double> sm_clocks;
  std::size_t samples = 0;
  std::size_t least_sets = 0;
  std::size_t changed = 0;
  std::size_t results = 0;

  void add(const report::Detail& detail) {
    if (detail.cv) cvs.push_back(*detail.cv);
    if (detail.clock != nullptr) clocks.insert(*detail.clock);
    if (detail.flush != nullptr) flushes.insert(*detail.flush);
    if (detail.sm_clock_mhz) sm_clocks.push_back(*detail.sm_clock_mhz);
    samples += detail.samples;
    least_sets = results == 0 ? detail.sets : std::min(least_sets, detail.sets);
    changed += detail.inputs_changed ? 1 : 0;
    ++results;
  }
};

std::string words_or_dash(const std::set<std::string>& words) {
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, ", "));
}

present::Cell cell_of(const std::optional<double>& value, const char* form, double factor) {
  if (!value) return present::no_cell();
  return present::number_cell(*value, fmt::format(fmt::runtime(form), factor * *value));
}

std::optional<double> middle_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(util::median_of(values));
}

std::optional<double> largest_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(*std::max_element(values.begin(), values.end()));
}

std::string quality(const DefinitionScene& definition) {
  std::map<std::string, Quality> qualities;
  for (const report::Detail* detail : definition.results) {
    if (detail->row.passed() && detail->clock != nullptr) qualities[*detail->row.solution].add(*detail);
  }
  using present::number_column;
  using present::text_column;
  present::Table table{
      {text_column("Solution", ""), number_column("Timed calls", ""), number_column("Median CV", ""),
       number_column("Worst CV", ""), text_column("Clock", ""), number_column("SM MHz", ""),
       text_column("Flush", ""), number_column("Least sets", ""), number_column("Inputs changed", "")},
      {}};
  for (const std::string& solution : definition.solutions) {
    const auto found = qualities.find(solution);
    if (found == qualities.end()) continue;
    const Quality& own = found->second;
    table.rows.push_back(
        {present::text_cell(solution), present::count_cell(own.samples),
         cell_of(middle_of(own.cvs), "{:.2f}%", 100), cell_of(largest_of(own.cvs), "{:.2f}%", 100),
         present::text_cell(words_or_dash(own.clocks)), cell_of(middle_of(own.sm_clocks), "{:.0f}", 1),
         present::text_cell(words_or_dash(own.flushes)), present::count_cell(own.least_sets),
         present::count_cell(own.changed)});
  }
  constexpr std::size_t kMostInSight = 12;
  if (table.rows.empty()) return "";
  const std::string markup =
      html_table(table, "How it was measured", OnPhones::cards) +
      tag("p", {{"class", "legend"}},
          "Timed calls: over all workloads. CV: coefficient of variation of a workload's timed calls. "
          "Flush: how the caches are emptied before a call. Least sets: of input values that differ, of "
          "the workload with fewest. Inputs changed: calls after which the inputs were not what they "
          "had been.");
  if (table.rows.size() <= kMostInSight) return markup;
  return tag("details", {{"class", "source"}}, text_tag("summary", "How it was measured") + markup) + "\n";
}

std::string speedups_figure(const DefinitionScene& definition, const report::Leaderboard& board,
                            const Colours& colours) {
  const chart::BoxChart speedups = solution_speedups_chart(definition, board, colours);
  const bool any = std::any_of(speedups.boxes.begin(), speedups.boxes.end(),
                               [](const auto& box) { return box.values.has_value(); });
  const auto is_of = [&](const chart::Box& box, const auto& holds) {
    return std::any_of(board.standings.begin(), board.standings.end(),
                       [&](const report::Standing& one) { return one.solution == box.label && holds(one); });
  };
  const bool is_yardstick_alone = board.against == report::Against::baseline && speedups.boxes.size() == 1 &&
                                  is_of(speedups.boxes.front(), [&](const report::Standing& one) {
                                    return one.author == board.baseline_author;
                                  });
  if (!any || is_yardstick_alone) return "";
  std::string caption =
      fmt::format("Speedups against the {} over the workloads: the middle half, and the median as a number",
                  report::name_of(board.against));
  const bool has_means = std::any_of(
      board.standings.begin(), board.standings.end(),
      [](const report::Standing& one) { return one.passed == one.workloads && one.speedup.value_or(0) > 0; });
  if (has_means)
    caption += fmt::format(" (the table has {} means)", board.every_trace ? "arithmetic" : "geometric");
  std::set<std::string> solved;
  for (const report::Detail* detail : definition.results) {
    if (detail->latency_ms()) solved.insert(*detail->row.solution);
  }
  if (speedups.boxes.size() < solved.size())
    caption += fmt::format("; the first {} of {} solutions", speedups.boxes.size(), solved.size());
  if (solved.size() < definition.solutions.size())
    caption += fmt::format("; {} passed nothing", definition.solutions.size() - solved.size());
  return figure(speedups, caption);
}

std::string latencies_figure(const chart::LineChart& chart) {
  if (!any_point(chart, [](const chart::Point& point) { return point.y.has_value(); })) return "";
  std::string caption = "L" + chart.subtitle.substr(1);  // "latency against size; " and what is left out
  if (any_point(chart, [](const chart::Point& point) { return point.high.has_value(); }))
    caption += "; the band is the middle half of the timed calls";
  if (any_point(chart, [](const chart::Point& point) { return point.failed; })) caption += "; ✗ failed";
  return figure(chart, caption);
}

std::string description(const Scene& scene, const std::string& name) {
  const auto found = scene.dataset.definitions.find(name);
  if (found == scene.dataset.definitions.end()) return text_tag("p", "Not in the dataset.") + "\n";
  const auto& text = found->second.description;
  std::string result = "op type " + found->second.op_type;
  if (text && *text) result += ": " + **text;
  return text_tag("p", result) + "\n";
}

}  // namespace

std::string definition_id(const std::string& hardware, const std::string& definition) {
  return "d-" + id_of(definition) + "-on-" + id_of(hardware);
}

std::string definition_section(const Scene& scene, const HardwareScene& hardware,
                               const DefinitionScene& definition, Logs& logs) {
  std::string text = tag("h3", {}, breakable(definition.name)) + "\n" + description(scene, definition.name);
  text += standings(scene, hardware, definition.name);
  const Colours& colours = scene.colours.at(definition.name);
  text += "<div class=figures>\n";
  text += latencies_figure(coloured(latency_chart(scene, definition), colours));
  const report::Leaderboard* board = hardware.summary.leaderboard(definition.name);
  if (board != nullptr) text += speedups_figure(definition, *board, colours);
  text += "</div>\n" + results_table(scene, definition, board, logs) + quality(definition);
  return tag("section", {{"id", definition_id(hardware.name, definition.name)}, {"class", "definition"}},
             text) +
         "\n";
}

}  // namespace fib::visual
