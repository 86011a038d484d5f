#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <memory>

#include "commands.h"
#include "dataset/known_names.h"
#include "dataset/queries.h"
#include "report/best_text.h"
#include "report_commands.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

struct BestOptions {
  ReadOptions read;
  FilterOptions filters;
  std::vector<std::string> axes;
  std::optional<double> max_abs_error;
  std::optional<double> max_rel_error;
  bool per_workload = false;
};

model::AxisValues parse_axes(const std::vector<std::string>& texts) {
  model::AxisValues axes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (equals == 0 || begin == end || error != std::errc() || stop != end) {
      throw CLI::ValidationError("--axes", text + ": expected AXIS=NUMBER, for example batch_size=1");
    }
    axes[text.substr(0, equals)] = value;
  }
  return axes;
}

// No option: the verdict of the traces counts.
std::optional<dataset::ErrorLimits> limits_of(const BestOptions& options) {
  if (!options.max_abs_error && !options.max_rel_error) return std::nullopt;
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  return dataset::ErrorLimits{options.max_abs_error.value_or(kNoLimit),
                              options.max_rel_error.value_or(kNoLimit)};
}

report::BestForm form_of(const BestOptions& options) {
  if (options.filters.choice == TraceChoice::all) return report::BestForm::fastest;
  return options.per_workload ? report::BestForm::lowest : report::BestForm::winners;
}

report::DatasetBest find_best(const dataset::Dataset& dataset, const ChosenTraces& chosen,
                              const BestOptions& options, const model::AxisValues& axes) {
  const dataset::Queries queries(dataset);
  report::DatasetBest result;
  result.path = dataset.root.string();
  result.form = form_of(options);
  const auto best_of = options.per_workload ? report::BestOf::workload : report::BestOf::definition;
  for (const report::Selection& selection : chosen.selections(dataset)) {
    const report::BestOptions question{selection, axes, limits_of(options), best_of};
    result.hardware.push_back({*selection.hardware, report::find_best(dataset, queries, question)});
  }
  result.untried =
      report::untried_definitions(dataset, {{}, options.filters.op_type, options.filters.definition});
  return result;
}

int run(const BestOptions& options) {
  const auto axes = parse_axes(options.axes);
  auto datasets = load_datasets(options.read);
  dataset::Filter named;
  for (const auto& [axis, value] : axes) named.conditions.emplace_back(fmt::format("{}=={}", axis, value));
  dataset::KnownNames(datasets).check(named);
  std::vector<bool> has_traces;
  for (const auto& dataset : datasets) has_traces.push_back(!dataset.traces.empty());
  const auto chosen = apply_filters(options.filters, datasets);
  std::vector<report::DatasetBest> results;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    results.push_back(find_best(datasets[i], chosen[i], options, axes));
    results.back().has_traces = has_traces[i];
    results.back().remarks = chosen[i].remarks(datasets[i]);
  }
  print_result(report::render_best(results, options.read.format, stdout_style()));
  return kDone;
}

}  // namespace

void add_report_best(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BestOptions>();
  CLI::App* best = app.add_subcommand("best", "The best solution of each definition");
  add_read_options(*best, options->read);
  best->add_option("--definition", options->filters.definition, "Only this definition")->type_name("NAME");
  best->add_option("--axes", options->axes, "Only workloads with these values: batch_size=1,len=128")
      ->delimiter(',')
      ->type_name("AXIS=N");
  best->add_option("--max-abs-error", options->max_abs_error, "Only traces with no greater absolute error")
      ->check(number_check(0, false));
  best->add_option("--max-rel-error", options->max_rel_error, "Only traces with no greater relative error")
      ->check(number_check(0, false));
  best->add_flag("--per-workload", options->per_workload, "The best solution of every workload");
  add_record_filter(*best, options->filters.records, ByStatus::no);
  add_trace_choice(*best, options->filters.choice);
  best->footer(
      std::string("Examples:\n"
                  "  fib report best --local DIR\n"
                  "  fib report best --local DIR --definition gemm_n128 --axes M=1 --per-workload\n"
                  "  fib report best --local DIR --max-abs-error 1e-3 --format json\n"
                  "Best is the solution with the lowest geometric mean of latencies among those that\n"
                  "passed every workload, on each hardware; with --per-workload the lowest latency; with\n"
                  "--traces all the PASSED trace with the highest speedup against the reference. Errors\n"
                  "are limited only when the options are given.\n") +
      kLocalDefault);
  best->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
