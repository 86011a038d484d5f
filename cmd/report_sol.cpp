#include <algorithm>
#include <iterator>
#include <memory>

#include "commands.h"
#include "dataset/known_names.h"
#include "dataset/named_runs.h"
#include "report/baseline_results.h"
#include "report/sol_text.h"
#include "report_commands.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

struct SolOptions {
  ReadOptions read;
  RecordFilter records;
  TraceChoice choice = TraceChoice::standing;
  report::SolQuestion question;
  report::SolPart part = report::SolPart::all;
  std::optional<double> gigabytes;
  std::optional<double> teraflops;
};

int run(const SolOptions& options) {
  auto datasets = load_datasets(options.read);
  report::SolQuestion question = options.question;
  question.filter = options.records.parsed();
  const dataset::KnownNames names(datasets);
  names.check(question.filter);
  names.check_baseline_author(question.baseline_author);
  note_hardware(question.filter, datasets);
  if (options.gigabytes) question.bytes_per_s = *options.gigabytes * 1e9;
  if (options.teraflops) question.flops_per_s = *options.teraflops * 1e12;
  std::vector<report::SolReport> reports;
  for (dataset::Dataset& dataset : datasets) {
    question.filter = options.records.parsed();
    dataset::name_runs(question.filter, dataset.root, dataset.traces);
    const auto standing = choose_traces(options.choice, dataset, dataset.traces, question.filter);
    if (standing) dataset::keep_standing(dataset, *standing);
    reports.push_back(report::sol_report(dataset, question));
    const bool has_references = report::uses_references(reports.back());
    // The report points into the traces, so these stay.
    std::vector<dataset::TraceRow> rows;
    std::copy_if(dataset.traces.begin(), dataset.traces.end(), std::back_inserter(rows),
                 [&](const auto& row) { return question.filter.holds_trace(dataset, row); });
    report::Remarks& remarks = reports.back().remarks;
    remarks = remarks_of(standing.get(), rows, report::has_references_if(has_references));
    auto missing = report::missing_baseline_text(
        dataset, rows, report::baseline_results(dataset, dataset.traces, question.baseline_author),
        question.baseline_author);
    if (!missing.empty()) remarks.cautions.push_back(std::move(missing));
  }
  print_result(report::render_sol(reports, options.part, options.read.format, stdout_style()));
  return kDone;
}

}  // namespace

void add_report_sol(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SolOptions>();
  CLI::App* sol = app.add_subcommand("sol", "How near to the device's limits solutions come");
  add_read_options(*sol, options->read);
  add_choice(*sol, "--show", options->part, "Which tables; default: all",
             {{"all", report::SolPart::all},
              {"workloads", report::SolPart::workloads},
              {"solutions", report::SolPart::solutions}})
      ->type_name("PART");
  add_baseline_author(*sol, options->question.baseline_author);
  add_record_filter(*sol, options->records, ByStatus::yes);
  add_trace_choice(*sol, options->choice);
  sol->add_option("--bandwidth", options->gigabytes, "Peak of the device's memory, in GB/s")
      ->check(number_check(0, true))
      ->type_name("GB/s");
  sol->add_option("--peak", options->teraflops, "Peak of the device's arithmetic, in TFLOP/s")
      ->check(number_check(0, true))
      ->type_name("TFLOP/s");
  sol->footer(
      std::string("Examples:\n"
                  "  fib report sol --local DIR\n"
                  "  fib report sol --local DIR --definitions 'gemm_*' --show workloads\n"
                  "  fib report sol --local DIR --hardware 'AMD*' --bandwidth 400 --peak 3\n"
                  "The bound of a workload is the least time that its bytes and flops take at the peak\n"
                  "of the device, both from the definition's shapes. The peaks of common NVIDIA GPUs\n"
                  "are known. Names may be globs.\n") +
      kLocalDefault);
  sol->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
