#include "visual/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "chart/number_text.h"
#include "chart/terminal.h"
#include "present/text.h"
#include "report/summary_tables.h"
#include "util/shell_word.h"
#include "visual/charts.h"
#include "visual/size.h"

namespace fib::visual {
namespace {

using chart::Unit;

constexpr std::size_t kCurvePoints = 72;
// In one line, which has a column for each.
constexpr std::size_t kMostRuns = 60;
constexpr std::size_t kMostWorkloads = 60;

// A block under a heading of its own, after an empty line.
class Blocks {
 public:
  explicit Blocks(const present::TextStyle& style) : style_(style) {}

  void heading(const std::string& text) { add(bold(present::printable(text))); }
  void block(const std::string& title, const std::string& text) {
    add(present::wrap(present::printable(title), style_.width) + "\n" + text);
  }
  void paragraph(const std::string& text) {
    add(present::wrap(present::printable(text), style_.width) + "\n");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + text; }
  [[nodiscard]] std::string bold(const std::string& text) const {
    return style_.bold ? "\x1b[1m" + text + "\x1b[0m\n" : text + "\n";
  }

  present::TextStyle style_;
  std::string text_;
};

std::vector<double> values_of(const std::vector<chart::Spark>& sparks) {
  std::vector<double> values;
  for (const chart::Spark& spark : sparks) {
    if (spark.value && !spark.failed) values.push_back(*spark.value);
  }
  return values;
}

// From zero to the highest of its own values: a small change looks small.
present::Cell from_zero_cell(const std::vector<chart::Spark>& sparks) {
  const auto values = values_of(sparks);
  const double highest = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
  return present::text_cell(chart::sparkline(sparks, chart::Spacing::linear, {0, highest}));
}

present::Cell ms_cell(const std::optional<double>& ms) {
  return ms ? present::number_cell(*ms, chart::value_text(*ms, Unit::milliseconds)) : present::no_cell();
}

// One line for each solution: its latencies over the sizes of the workloads, on one logarithmic scale for
// all.
present::Table latency_table(const DefinitionScene& definition,
                             const std::vector<const model::Workload*>& workloads) {
  ResultTable results = definition.by_solution();
  std::vector<std::vector<chart::Spark>> lines;
  std::vector<double> all;
  for (const std::string& solution : definition.solutions) {
    std::vector<chart::Spark>& sparks = lines.emplace_back();
    for (const model::Workload* workload : workloads) {
      const report::Detail* detail = results[solution][workload->uuid];
      if (detail == nullptr) {
        sparks.emplace_back();
      } else {
        sparks.push_back({detail->latency_ms(), !detail->row.passed()});
      }
    }
    const auto values = values_of(sparks);
    all.insert(all.end(), values.begin(), values.end());
  }
  const auto range = chart::range_of(all, chart::Spacing::log).value_or(chart::Range{});
  present::Table table{{present::text_column("Solution", ""),
                        present::number_column("Smallest", ""),
                        {"Latency by size (log)", "", present::Align::left, present::Fit::whole},
                        present::number_column("Largest", "")},
                       {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    table.rows.push_back({present::text_cell(definition.solutions[i]), ms_cell(lines[i].front().value),
                          present::text_cell(chart::sparkline(lines[i], chart::Spacing::log, range)),
                          ms_cell(lines[i].back().value)});
  }
  return table;
}

void write_definition(Blocks& blocks, const HardwareScene& hardware, const DefinitionScene& definition,
                      const present::TextStyle& style) {
  if (const report::Leaderboard* board = hardware.summary.leaderboard(definition.name)) {
    const chart::BarChart bars = solutions_chart(*board);
    blocks.block(definition.name + ": " + bars.subtitle, chart::bars_text(bars, style));
  }
  const auto workloads = some_of_each_size(definition.workloads, kMostWorkloads);
  const std::string all = present::plural(definition.workloads.size(), "workload");
  const bool is_all = workloads.size() == definition.workloads.size();
  blocks.block(is_all ? all + " by size:" : fmt::format("{} of {} by size:", workloads.size(), all),
               present::to_text(latency_table(definition, workloads), style));
}

void write_hardware(Blocks& blocks, const HardwareScene& hardware, const present::TextStyle& style) {
  blocks.heading("Hardware: " + hardware.name);
  const std::string against = report::name_of(hardware.summary.authors.against);
  if (!hardware.summary.authors.rows.empty())
    blocks.block("Authors by arithmetic mean speedup, against the " + against + ":",
                 chart::bars_text(authors_chart(hardware), style));
  const chart::Histogram speedups = speedups_histogram(hardware);
  if (!speedups.bins.counts.empty()) {
    blocks.block("Speedups, " + speedups.subtitle + ":", chart::histogram_text(speedups, style));
    const chart::LineChart curve = fast_p_samples(hardware.problems, kCurvePoints);
    blocks.block("fast_p, " + curve.subtitle + ":", chart::lines_text(curve, style));
  }
  for (const DefinitionScene& definition : hardware.definitions)
    write_definition(blocks, hardware, definition, style);
}

std::vector<chart::Spark> sparks_of(const chart::Series& series, std::size_t places) {
  std::vector<chart::Spark> sparks(places);
  for (const chart::Point& point : series.points)
    sparks[static_cast<std::size_t>(point.x)] = {point.failed ? std::nullopt : point.y, point.failed};
  return sparks;
}

present::Table history_table(const chart::LineChart& chart) {
  present::Table table{{present::text_column("Solution", ""),
                        present::number_column("First", ""),
                        {"Runs (from 0)", "", present::Align::left, present::Fit::whole},
                        present::number_column("Last", "")},
                       {}};
  for (const chart::Series& series : chart.series) {
    const auto sparks = sparks_of(series, chart.categories.size());
    table.rows.push_back({present::text_cell(series.name), ms_cell(sparks.front().value),
                          from_zero_cell(sparks), ms_cell(sparks.back().value)});
  }
  return table;
}

}  // namespace

std::string terminal_charts(const Scene& scene, const present::TextStyle& style) {
  Blocks blocks(style);
  for (const HardwareScene& hardware : scene.hardware) write_hardware(blocks, hardware, style);
  if (scene.hardware.empty())
    blocks.paragraph(
        fmt::format("No traces to show in {} that pass the filters. To get some: fib run --local {}",
                    scene.dataset.root.string(), util::shell_word(scene.dataset.root.string())));
  return blocks.text();
}

std::string terminal_history(const Scene& scene, const present::TextStyle& style) {
  Blocks blocks(style);
  const auto labels = run_labels(scene.history);
  for (auto& [subject, runs] : subjects_of(scene.history)) {
    const std::size_t all = runs.size();
    if (all > kMostRuns) runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(kMostRuns));
    const chart::LineChart chart = history_chart(subject, runs, labels);
    const std::string count = all > kMostRuns
                                  ? fmt::format("the last {} of {}", kMostRuns, present::plural(all, "run"))
                                  : present::plural(all, "run");
    blocks.block(
        fmt::format("{} on {}: latency over {}, from {} to {}", subject.definition, subject.hardware, count,
                    chart.categories.front().whole_label(), chart.categories.back().whole_label()),
        present::to_text(history_table(chart), style));
  }
  for (const report::HistoryRun& run : scene.history.runs) {
    for (const std::string& definition : swept_definitions(run)) {
      const chart::LineChart chart = sweep_chart(run, definition);
      blocks.block(definition + ": " + chart.subtitle, chart::lines_text(chart, style));
    }
  }
  if (!blocks.text().empty())
    blocks.paragraph(
        "·: not in that run; ✗: something failed; latencies are over the workloads that all runs of a "
        "solution "
        "have in common");
  if (blocks.text().empty())
    blocks.paragraph(fmt::format("No runs in {}. To get some: fib run --local {}",
                                 scene.dataset.root.string(), util::shell_word(scene.dataset.root.string())));
  return blocks.text();
}

}  // namespace fib::visual
