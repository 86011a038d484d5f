#include <fmt/format.h>

#include <algorithm>

#include "report/sol_tables.h"
#include "report/summary_tables.h"
#include "report/summary_text.h"
#include "report/text.h"
#include "visual/charts.h"
#include "visual/html.h"
#include "visual/page_parts.h"
#include "visual/page_table.h"

namespace fib::visual {
namespace {

std::string counts_text(const report::HardwareSummary& summary) {
  const report::Counts& counts = summary.counts;
  const std::string failures = report::failures_text(counts);
  return fmt::format("{}: {} passed, {} failed{}",
                     report::plural(counts.total, summary.every_trace ? "trace" : "result"), counts.passed,
                     counts.failed(), failures.empty() ? "" : " (" + failures + ")");
}

std::string paragraph(const std::string& text) { return text.empty() ? "" : text_tag("p", text) + "\n"; }

// The workloads farthest from their bounds, as many as a page bears.
std::string bounds(const report::HardwareSol& sol) {
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
  return html_table(report::workloads_table(shown), "How near to the roofline bound") +
         (left_out == 0
              ? ""
              : paragraph(fmt::format("{} nearer to their bounds are left out; fib report sol has all.",
                                      report::plural(left_out, "workload"))));
}

std::string figures(const HardwareScene& hardware) {
  std::string text = "<div class=figures>\n";
  const report::AuthorRanking& ranking = hardware.summary.authors;
  if (!ranking.rows.empty()) text += figure(authors_chart(hardware), "Authors by mean speedup");
  if (!speedups_histogram(hardware).bins.counts.empty()) {
    text += figure(fast_p_chart(hardware.problems),
                   "fast_p: the share of all problems solved and faster than p times the yardstick");
    text += figure(author_speedups_chart(hardware), "Speedups by author");
    text += figure(speedups_histogram(hardware), "Distribution of all speedups");
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
    text += "<figure><figcaption>" + link_to(definition_id(hardware.name, definition.name), definition.name) +
            "</figcaption>" + to_svg(chart, small) + "</figure>\n";
  }
  const std::size_t left_out = hardware.definitions.size() - std::min(kMost, hardware.definitions.size());
  return "<h3>All definitions: latency against size, of the first two</h3>\n<div class=multiples>\n" + text +
         "</div>\n" +
         (left_out == 0 ? ""
                        : paragraph(fmt::format("{} more below.", report::plural(left_out, "definition"))));
}

}  // namespace

std::string hardware_id(const std::string& hardware) { return "on-" + id_of(hardware); }

std::string hardware_section(const Scene& scene, const HardwareScene& hardware, Logs& logs) {
  const report::HardwareSummary& summary = hardware.summary;
  std::string text = text_tag("h2", hardware.name) + "\n" + overview(scene, hardware, logs) +
                     paragraph(counts_text(summary)) + paragraph(report::explain(summary.authors));
  text += html_table(report::authors_table(summary.authors),
                     fmt::format("Authors, against the {}", report::name_of(summary.authors.against)));
  text += all_definitions(scene, hardware) + figures(hardware);
  text += html_table(report::counts_table("Definition", "definition", summary.by_definition),
                     "Traces by definition");
  if (hardware.sol != nullptr && hardware.sol->peak) text += bounds(*hardware.sol);
  return tag("section", {{"id", hardware_id(hardware.name)}}, text) + "\n";
}

}  // namespace fib::visual
