#include <fmt/format.h>

#include "chart/markup.h"
#include "report/sol_tables.h"
#include "report/summary_tables.h"
#include "report/summary_text.h"
#include "report/text.h"
#include "visual/charts.h"
#include "visual/html.h"
#include "visual/page_parts.h"

namespace fib::visual {
namespace {

const chart::SvgOptions kInPage{640, false, false, chart::Theme::light};

std::string counts_text(const report::Counts& counts) {
  const std::string failures = report::failures_text(counts);
  return fmt::format("{}: {} passed, {} failed{}", report::plural(counts.total, "trace"), counts.passed,
                     counts.failed(), failures.empty() ? "" : " (" + failures + ")");
}

std::string paragraph(const std::string& text) { return text.empty() ? "" : text_tag("p", text) + "\n"; }

std::string winners(const HardwareScene& hardware) {
  report::Table table{{report::text_column("Definition", "definition"),
                       report::text_column("Best solution", "solution"),
                       report::text_column("Author", "author"),
                       report::number_column("Speedup", "speedup"),
                       report::number_column("Latency (ms)", "latency_ms"),
                       report::number_column("Solutions", "solutions")},
                      {}};
  for (const report::Leaderboard& board : hardware.summary.leaderboards) {
    if (board.standings.empty()) continue;
    const report::Standing& best = board.standings.front();
    const auto number = [](const std::optional<double>& value, auto&& form) {
      return value ? report::number_cell(*value, form(*value)) : report::no_cell();
    };
    table.rows.push_back({report::text_cell(board.definition), report::text_cell(best.solution),
                          best.author ? report::text_cell(*best.author) : report::no_cell(),
                          number(best.speedup, report::format_score),
                          number(best.latency_ms, report::format_ms),
                          report::count_cell(board.standings.size())});
  }
  return html_table(table, "The best solution of every definition");
}

std::string figures(const HardwareScene& hardware) {
  std::string text = "<div class=figures>\n";
  const report::AuthorRanking& ranking = hardware.summary.authors;
  if (!ranking.rows.empty())
    text += figure(chart::to_svg(authors_chart(hardware), kInPage), "Authors by mean speedup");
  if (!hardware.problems.authors.empty()) {
    text += figure(chart::to_svg(fast_p_chart(hardware), kInPage),
                   "fast_p: the share of all problems solved and faster than p times the yardstick");
    text += figure(chart::to_svg(author_speedups_chart(hardware), kInPage), "Speedups by author");
    text += figure(chart::to_svg(speedups_histogram(hardware), kInPage), "Distribution of all speedups");
  }
  const chart::RooflineChart roofline = roofline_chart(hardware);
  if (!roofline.series.empty()) {
    text += figure(chart::to_svg(roofline, kInPage),
                   "Roofline: the fastest solution of every workload whose flops follow from its shapes");
  }
  return text + "</div>\n";
}

}  // namespace

std::string hardware_id(const std::string& hardware) { return "on-" + id_of(hardware); }

std::string hardware_section(const HardwareScene& hardware) {
  const report::HardwareSummary& summary = hardware.summary;
  std::string text = text_tag("h2", hardware.name) + "\n" + paragraph(counts_text(summary.counts)) +
                     paragraph(report::explain(summary.authors));
  text += html_table(report::authors_table(summary.authors),
                     fmt::format("Authors, against the {}", report::name_of(summary.authors.against)));
  text += winners(hardware) + figures(hardware);
  text += html_table(report::counts_table("Definition", "definition", summary.by_definition),
                     "Traces by definition");
  if (hardware.sol != nullptr && hardware.sol->peak)
    text += html_table(report::workloads_table(*hardware.sol), "How near to the roofline bound");
  return tag("section", {{"id", hardware_id(hardware.name)}}, text) + "\n";
}

}  // namespace fib::visual
