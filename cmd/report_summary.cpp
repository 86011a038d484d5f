#include <algorithm>
#include <memory>

#include "commands.h"
#include "dataset/queries.h"
#include "report/summary_text.h"
#include "report_commands.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

struct SummaryOptions {
  ReadOptions read;
  FilterOptions filters;
  std::string baseline_author = dataset::kUsualBaselineAuthor;
  report::SummaryPart part = report::SummaryPart::all;
};

// Traces without an evaluation have no hardware; they count where no hardware is asked for.
report::Counts count(const dataset::Dataset& dataset, const ChosenTraces& chosen,
                     const FilterOptions& filters) {
  if (filters.records.filter.hardware.empty()) return report::count_traces(dataset, chosen.asked_for);
  report::Counts counts;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (trace.evaluation && chosen.asked_for.counts(dataset, trace)) counts.add(trace);
  }
  return counts;
}

report::DatasetSummary summarize(const dataset::Dataset& dataset, const ChosenTraces& chosen,
                                 const SummaryOptions& options) {
  const dataset::Queries queries(dataset);
  const FilterOptions& filters = options.filters;
  report::DatasetSummary summary;
  summary.path = dataset.root.string();
  summary.baseline_author = options.baseline_author;
  summary.filtered = !filters.records.parsed().is_empty() || filters.op_type || filters.definition;
  summary.every_trace = filters.choice == TraceChoice::all;
  summary.counts = count(dataset, chosen, filters);
  for (const report::Selection& selection : chosen.selections(dataset)) {
    summary.hardware.push_back(
        report::summarize(dataset, queries, selection, options.baseline_author, chosen.standing.get()));
  }
  const bool has_references =
      std::any_of(summary.hardware.begin(), summary.hardware.end(), report::has_references);
  summary.remarks = chosen.remarks(dataset, report::has_references_if(has_references));
  return summary;
}

int run(const SummaryOptions& options) {
  auto datasets = load_datasets(options.read);
  const auto chosen = apply_filters(options.filters, datasets, options.baseline_author);
  std::vector<report::DatasetSummary> summaries;
  for (std::size_t i = 0; i < datasets.size(); ++i)
    summaries.push_back(summarize(datasets[i], chosen[i], options));
  print_result(report::render_summary(summaries, options.part, options.read.format, stdout_style()));
  return kDone;
}

}  // namespace

void add_report_summary(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SummaryOptions>();
  CLI::App* summary =
      app.add_subcommand("summary", "Counts, authors ranked, solutions of each definition ranked");
  add_read_options(*summary, options->read);
  add_choice(*summary, "--show", options->part, "Which tables; default: all",
             {{"all", report::SummaryPart::all},
              {"authors", report::SummaryPart::authors},
              {"counts", report::SummaryPart::counts},
              {"solutions", report::SummaryPart::solutions}})
      ->type_name("PART");
  add_baseline_author(*summary, options->baseline_author);
  auto* op_type =
      summary->add_option("--op-type", options->filters.op_type, "Only definitions of this op type");
  op_type->type_name("NAME");
  summary->add_option("--definition", options->filters.definition, "Only this definition")
      ->type_name("NAME")
      ->excludes(op_type);
  add_record_filter(*summary, options->filters.records, ByStatus::yes);
  add_trace_choice(*summary, options->filters.choice);
  summary->footer(
      std::string("Examples:\n"
                  "  fib report summary --local DIR\n"
                  "  fib report summary --local DIR --definition rmsnorm_h4096 --hardware 'NVIDIA*'\n"
                  "  fib report summary --local DIR --show solutions --format csv > solutions.csv\n"
                  "Each hardware has a ranking of its own. Where there is no baseline solution,\n"
                  "speedups are against the reference. Csv holds one table: the authors, or the\n"
                  "solutions or counts with --show.\n") +
      kLocalDefault +
      "Exit codes: 0 done, 1 a dataset or what a filter names does not exist, or\n"
      "--strict-load and a file could not be loaded, 2 wrong usage.");
  summary->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
