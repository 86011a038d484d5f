#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "chart/markup.h"
#include "report/summary_tables.h"
#include "report/text.h"
#include "report/workload_text.h"
#include "visual/charts.h"
#include "visual/html.h"
#include "visual/page_parts.h"

namespace fib::visual {
namespace {

report::Table standings(const HardwareScene& hardware, const std::string& definition) {
  report::HardwareSummary only;
  only.authors.against = hardware.summary.authors.against;
  for (const report::Leaderboard& board : hardware.summary.leaderboards) {
    if (board.definition == definition) only.leaderboards = {board};
  }
  report::Table table = report::solutions_table(only);
  table.columns.front().audience = report::Audience::programs;  // the heading says it
  return table;
}

std::string matrix_cell(const report::Detail* detail, Logs& logs) {
  if (detail == nullptr) return "<td>";
  const std::string sign = status_sign(detail->status());
  if (detail->row.passed()) return "<td class=p>" + sign;
  return "<td class=f>" +
         tag("a",
             {{"href", "#" + logs.link(*detail)}, {"title", std::string(model::name_of(detail->status()))}},
             sign);
}

std::string matrix(const DefinitionScene& definition, Logs& logs) {
  ResultTable results = definition.by_solution();
  std::string text = "<caption>Status</caption><thead><tr><th scope=col>Solution";
  for (const model::Workload* workload : definition.workloads) {
    text += tag("th", {{"scope", "col"}},
                tag("span", {}, chart::escape_xml(report::printable(report::workload_text(*workload)))));
  }
  text += "</thead><tbody>";
  for (const std::string& solution : definition.solutions) {
    text += "<tr>" + tag("th", {{"scope", "row"}}, chart::escape_xml(report::printable(solution)));
    auto& row = results[solution];
    for (const model::Workload* workload : definition.workloads) {
      const auto found = row.find(workload->uuid);
      text += matrix_cell(found == row.end() ? nullptr : found->second, logs);
    }
    text += "\n";
  }
  return tag("div", {{"class", "wide"}}, tag("table", {{"class", "matrix"}}, text + "</tbody>")) +
         "\n<p class=legend>✓ passed; incorrect: N numerical, S shape, D dtype; R runtime error, C compile "
         "error, "
         "T timeout; empty: not tried. A failure links to its log.</p>\n";
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

std::string joined(const std::set<std::string>& words) {
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, ", "));
}

report::Cell middle_cell(std::vector<double> values, std::size_t place, const char* form, double factor) {
  if (values.empty()) return report::no_cell();
  std::sort(values.begin(), values.end());
  const double value = values[std::min(values.size() - 1, place)];
  return report::number_cell(value, fmt::format(fmt::runtime(form), factor * value));
}

std::string quality(const DefinitionScene& definition) {
  std::map<std::string, Quality> qualities;
  for (const report::Detail* detail : definition.results) {
    if (detail->row.passed() && detail->clock != nullptr) qualities[*detail->row.solution].add(*detail);
  }
  using report::number_column;
  using report::text_column;
  report::Table table{
      {text_column("Solution", ""), number_column("Timed calls", ""), number_column("Median CV", ""),
       number_column("Worst CV", ""), text_column("Clock", ""), number_column("SM MHz", ""),
       text_column("Flush", ""), number_column("Least sets", ""), number_column("Inputs changed", "")},
      {}};
  for (const std::string& solution : definition.solutions) {
    const auto found = qualities.find(solution);
    if (found == qualities.end()) continue;
    const Quality& own = found->second;
    table.rows.push_back({report::text_cell(solution), report::count_cell(own.samples),
                          middle_cell(own.cvs, own.cvs.size() / 2, "{:.2f}%", 100),
                          middle_cell(own.cvs, own.cvs.size(), "{:.2f}%", 100),
                          report::text_cell(joined(own.clocks)),
                          middle_cell(own.sm_clocks, own.sm_clocks.size() / 2, "{:.0f}", 1),
                          report::text_cell(joined(own.flushes)), report::count_cell(own.least_sets),
                          report::count_cell(own.changed)});
  }
  return html_table(table, "How it was measured");
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
  std::string text = text_tag("h3", definition.name) + "\n" + description(scene, definition.name);
  text += html_table(standings(hardware, definition.name), "Solutions on " + hardware.name);
  text += "<div class=figures>\n" +
          figure(latency_chart(scene, definition),
                 "Latency against size; the band is the middle half of the timed calls, ✗ failed");
  const chart::BoxChart speedups = solution_speedups_chart(definition);
  if (!speedups.boxes.empty()) text += figure(speedups, "Speedups against the reference over the workloads");
  text += "</div>\n" + matrix(definition, logs) + quality(definition);
  return tag("section", {{"id", definition_id(hardware.name, definition.name)}, {"class", "definition"}},
             text) +
         "\n";
}

}  // namespace fib::visual
