#include <memory>

#include "commands.h"
#include "dataset/queries.h"
#include "report/rank.h"
#include "report/summary.h"
#include "report_commands.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

using report::Against;
using report::RankBy;

struct RankOptions {
  ReadOptions read;
  FilterOptions filters;
  std::string baseline_author = dataset::kUsualBaselineAuthor;
  RankBy by = RankBy::avg_speedup;
  std::size_t top = 0;
};

report::HardwareRanks rank(const dataset::Dataset& dataset, const dataset::Queries& queries,
                           const report::Selection& selection, const RankOptions& options) {
  const auto outcomes = report::collect(dataset, selection);
  const dataset::Scope scope{options.baseline_author, {}, {}, selection.hardware, selection.every_trace};
  report::HardwareRanks ranks;
  ranks.hardware = *selection.hardware;
  const auto ranking = report::with_fallback(
      [&](Against against) { return report::rank_authors(dataset, queries, scope, outcomes, against); },
      ranks.reason);
  ranks.against = ranking.against;
  const auto results = report::solve_problems(dataset, selection, options.baseline_author, ranking.against);
  ranks.rows = report::rank_rows(ranking, results, options.by);
  return ranks;
}

int run(const RankOptions& options) {
  auto datasets = load_datasets(options.read);
  const auto chosen = apply_filters(options.filters, datasets, options.baseline_author);
  std::vector<report::DatasetRanks> results;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const auto& dataset = datasets[i];
    report::DatasetRanks ranks{dataset.root.string(), {}, {}};
    const dataset::Queries queries(dataset);
    for (const auto& selection : chosen[i].selections(dataset))
      ranks.hardware.push_back(rank(dataset, queries, selection, options));
    const bool has_references =
        std::any_of(ranks.hardware.begin(), ranks.hardware.end(),
                    [](const auto& one) { return one.against == Against::reference; });
    ranks.remarks = chosen[i].remarks(dataset, report::has_references_if(has_references));
    results.push_back(std::move(ranks));
  }
  print_result(report::render_ranks(results, options.by, options.top, options.read.format, stdout_style()));
  return kDone;
}

}  // namespace

void add_report_rank(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RankOptions>();
  CLI::App* rank = app.add_subcommand("rank", "Authors ranked by one of several scores");
  add_read_options(*rank, options->read);
  add_choice(*rank, "--by", options->by, "The score that orders; default: avg-speedup",
             {{"avg-speedup", RankBy::avg_speedup},
              {"geomean-speedup", RankBy::geomean_speedup},
              {"win-rate", RankBy::win_rate},
              {"success-rate", RankBy::success_rate},
              {"coverage", RankBy::coverage},
              {"fast-1", RankBy::fast_1}})
      ->type_name("SCORE");
  rank->add_option("--top", options->top, "Only so many rows; default: all")
      ->check(number_check(0, true))
      ->type_name("N");
  add_baseline_author(*rank, options->baseline_author);
  add_record_filter(*rank, options->filters.records, ByStatus::no);
  add_trace_choice(*rank, options->filters.choice);
  rank->footer(
      std::string("Examples:\n"
                  "  fib report rank --local DIR --by geomean-speedup\n"
                  "  fib report rank --local DIR --op-types gemm --top 10 --format md\n"
                  "Each hardware has a ranking of its own. docs/reports.md says what the scores mean.\n") +
      kLocalDefault);
  rank->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
