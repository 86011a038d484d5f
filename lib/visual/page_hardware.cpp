#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "chart/markup.h"
#include "present/text.h"
#include "report/sol_tables.h"
#include "report/sol_text.h"
#include "report/summary_tables.h"
#include "report/summary_text.h"
#include "util/xml.h"
#include "visual/charts.h"
#include "visual/html.h"
#include "visual/overview.h"
#include "visual/page_parts.h"
#include "visual/page_table.h"

namespace fib::visual {
namespace {

std::string paragraph(const std::string& text) { return text.empty() ? "" : text_tag("p", text) + "\n"; }

// The ranking of authors, with the definitions that each has won: the two can differ, as an author's speedup
// is a mean over the definitions that he tried, whoever won them.
std::string authors(const report::HardwareSummary& summary) {
  present::Table table = report::authors_table(summary.authors);
  if (table.rows.empty()) return "";
  std::map<std::string, std::size_t> won;
  for (const auto& [count, author] : wins_by_author(outcomes_of(summary))) won[author] = count;
  constexpr auto kPlace = 2;  // behind rank and author
  table.columns.insert(table.columns.begin() + kPlace, present::number_column("Definitions won", ""));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    auto& row = table.rows[i];
    row.insert(row.begin() + kPlace, present::count_cell(won[summary.authors.rows[i].first]));
  }
  const std::string yardstick = report::name_of(summary.authors.against);
  std::string notes =
      "Definitions won: where another solution, which may be the baseline, passed everything as well. ";
  if (summary.authors.against == report::Against::baseline) notes += "The baseline's author is not ranked. ";
  for (const std::string& note : report::author_notes(yardstick)) notes += note + ". ";
  return html_table(table, fmt::format("Authors, against the {}", yardstick), OnPhones::cards) +
         tag("p", {{"class", "legend"}}, util::escape_xml(notes)) + "\n";
}

// A table of report as one of the page, with links; a definition that all rows share has no column.
PageTable linked(const present::Table& table, const Scene& scene, const std::string& hardware) {
  PageTable page;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const present::Column& column = table.columns[i];
    const auto is_first = [&](const auto& row) { return row[i].text == table.rows.front()[i].text; };
    const bool is_shared =
        column.key == "definition" && std::all_of(table.rows.begin(), table.rows.end(), is_first);
    if (column.audience == present::Audience::programs || is_shared) continue;
    shown.push_back(i);
    page.columns.push_back({column.name, column.align == present::Align::right});
  }
  for (const auto& row : table.rows) {
    page.rows.emplace_back();
    for (const std::size_t i : shown) {
      const present::Cell& cell = row[i];
      const std::string& key = table.columns[i].key;
      const bool is_number = cell.value.kind == model::json::Kind::number;
      page.rows.back().push_back(
          key == "definition" ? PageCell{link_to(definition_id(hardware, cell.text), cell.text)}
          : key == "solution" ? PageCell{link_to(solution_id(scene, cell.text), cell.text)}
          : is_number         ? number(cell.text, std::strtod(cell.value.text.c_str(), nullptr))
                              : plain(cell.text));
    }
  }
  return page;
}

// The workloads farthest from their bounds, as many as a page bears.
std::string bounds(const Scene& scene, const report::HardwareSol& sol, const std::string& hardware) {
  constexpr std::size_t kMost = 500;
  report::HardwareSol shown = sol;
  if (shown.workloads.size() > kMost) {
    const auto share = [](const report::WorkloadSol& workload) {
      return workload.points.empty() ? 0 : workload.points.front().share.value_or(0);
    };
    std::stable_sort(shown.workloads.begin(), shown.workloads.end(),
                     [&](const auto& left, const auto& right) { return share(left) < share(right); });
    shown.workloads.resize(kMost);
  }
  const std::size_t left_out = sol.workloads.size() - shown.workloads.size();
  std::string legend = report::peak_text(sol.peak) + ". ";
  for (const std::string& note : report::bound_notes()) legend += note + ". ";
  if (shown.workloads.empty()) return "";
  const std::string table =
      to_html(linked(report::workloads_table(shown), scene, hardware), "How near to the roofline bound");
  return table + tag("p", {{"class", "legend"}}, util::escape_xml(legend)) + "\n" +
         (left_out == 0
              ? ""
              : paragraph(fmt::format("{} nearer to their bounds are left out; fib report sol has all.",
                                      present::plural(left_out, "workload"))));
}

std::string figures(const HardwareScene& hardware) {
  std::string text = "<div class=figures>\n";
  const report::AuthorRanking& ranking = hardware.summary.authors;
  const bool has_means = std::any_of(ranking.rows.begin(), ranking.rows.end(),
                                     [](const auto& row) { return row.second.avg_speedup > 0; });
  if (has_means)
    text += figure(authors_chart(hardware),
                   "Authors by arithmetic mean speedup; a definition that an author failed counts as 0");
  if (!speedups_histogram(hardware).bins.counts.empty()) {
    text += figure(
        fast_p_chart(hardware.problems),
        fmt::format("fast_p: the share of all {} (a definition with a workload) solved and faster than "
                    "p times the {}; one that was solved counts whatever failed elsewhere",
                    present::plural(hardware.problems.problems, "problem"),
                    report::name_of(hardware.problems.against)));
    const std::string best = ": each author's best on every workload that one of theirs solved";
    text += figure(author_speedups_chart(hardware),
                   "Speedups by author" + best + "; the middle half, and the median as a number");
    text += figure(speedups_histogram(hardware),
                   "Distribution of speedups" + best +
                       "; the first and the last bar end at the lowest and the highest one");
  }
  const chart::RooflineChart roofline = roofline_chart(hardware);
  if (!roofline.series.empty()) {
    text += figure(roofline,
                   "Roofline: the fastest solution of every workload whose flops follow from its shapes");
  }
  return text + "</div>\n";
}

// A small chart of every definition, as many as a page bears.
std::string all_definitions(const Scene& scene, const HardwareScene& hardware) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kMost = 60;
  if (hardware.definitions.size() < kFewest) return "";
  const chart::SvgOptions small{340, false, false, chart::Theme::light};
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, hardware.definitions.size()); ++i) {
    const DefinitionScene& definition = hardware.definitions[i];
    chart::LineChart chart =
        coloured(small_latency_chart(scene, definition), scene.colours.at(definition.name));
    chart.subtitle.clear();
    if (!any_point(chart, [](const chart::Point& point) { return point.y.has_value(); })) continue;
    text += "<figure><figcaption>" + link_to(definition_id(hardware.name, definition.name), definition.name) +
            "</figcaption>" + to_svg(chart, small) + "</figure>\n";
  }
  const std::size_t left_out = hardware.definitions.size() - std::min(kMost, hardware.definitions.size());
  if (text.empty()) return "";
  return "<h3>All definitions: latency against size, of the two solutions that stand first in "
         "each</h3>\n<div "
         "class=multiples>\n" +
         text + "</div>\n" +
         (left_out == 0 ? ""
                        : paragraph(fmt::format("{} more below.", present::plural(left_out, "definition"))));
}

std::string definitions(const report::HardwareSummary& summary) {
  PageTable table{{name_column("Definition"),
                   {summary.every_trace ? "Traces" : "Results", true},
                   {"Passed", true},
                   {"Failed", true},
                   {"Failures"}},
                  {},
                  true};
  const auto count = [](std::size_t value) {
    return number(std::to_string(value), static_cast<double>(value));
  };
  for (const auto& [name, counts] : summary.by_definition) {
    const std::string failures = report::failures_text(counts);
    table.rows.push_back({{link_to(definition_id(summary.hardware, name), name)},
                          count(counts.total),
                          count(counts.passed),
                          count(counts.failed()),
                          plain(failures.empty() ? "-" : failures)});
  }
  return to_html(table, summary.every_trace ? "Traces by definition" : "Results by definition");
}

}  // namespace

std::string hardware_id(const std::string& hardware) { return "on-" + id_of(hardware); }

std::string hardware_section(const Scene& scene, const HardwareScene& hardware, Logs& logs) {
  const report::HardwareSummary& summary = hardware.summary;
  std::string text = text_tag("h2", hardware.name) + "\n" + overview(scene, hardware, logs) +
                     paragraph(report::explain(summary.authors));
  text += authors(summary);
  text += all_definitions(scene, hardware) + figures(hardware);
  text += definitions(summary);
  if (hardware.sol != nullptr && hardware.sol->peak) text += bounds(scene, *hardware.sol, hardware.name);
  return tag("section", {{"id", hardware_id(hardware.name)}}, text) + "\n";
}

}  // namespace fib::visual
