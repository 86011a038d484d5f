#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "chart/terminal.h"
#include "choice.h"
#include "commands.h"
#include "dataset/queries.h"
#include "present/text.h"
#include "report/fast_p_text.h"
#include "report_commands.h"
#include "report_common.h"
#include "visual/charts.h"

namespace fib::cmd {
namespace {

using report::Against;

struct FastPOptions {
  ReadOptions read;
  FilterOptions filters;
  std::string baseline_author = dataset::kUsualBaselineAuthor;
  std::optional<Against> against;
  std::vector<double> thresholds = report::usual_thresholds();
};

constexpr std::size_t kCurvePoints = 72;

// The curves as text, below the tables.
std::string curves(const std::vector<report::DatasetFastP>& datasets) {
  std::string text;
  for (const report::DatasetFastP& dataset : datasets) {
    for (const report::ProblemResults& results : dataset.hardware) {
      if (results.authors.empty()) continue;
      text += "\nOver p on " + present::printable(results.hardware) + ":\n" +
              chart::lines_text(visual::fast_p_samples(results, kCurvePoints), stdout_style());
    }
  }
  return text;
}

int run(FastPOptions options) {
  auto& thresholds = options.thresholds;
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  auto datasets = load_datasets(options.read);
  const bool against_reference = options.against == Against::reference;
  const auto chosen =
      apply_filters(options.filters, datasets, against_reference ? "" : options.baseline_author);
  std::vector<report::DatasetFastP> results;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const auto& dataset = datasets[i];
    report::DatasetFastP result{dataset.root.string(), {}, {}};
    bool has_references = false;
    for (const auto& selection : chosen[i].selections(dataset)) {
      const Against against =
          options.against.value_or(report::natural_yardstick(dataset, selection, options.baseline_author));
      has_references = has_references || against == Against::reference;
      result.hardware.push_back(report::solve_problems(dataset, selection, options.baseline_author, against));
    }
    result.remarks = chosen[i].remarks(dataset, report::has_references_if(has_references));
    results.push_back(std::move(result));
  }
  const auto format = options.read.format;
  std::string text = report::render_fast_p(results, options.thresholds, format, stdout_style());
  if (format == present::Format::table) text += curves(results);
  print_result(text);
  return kDone;
}

}  // namespace

void add_report_fast_p(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FastPOptions>();
  CLI::App* fast_p =
      app.add_subcommand("fast-p", "Share of all problems solved and faster than p times the baseline");
  add_read_options(*fast_p, options->read);
  fast_p->add_option("--p", options->thresholds, "The thresholds: 1,2,4; default: 0 to 10")
      ->delimiter(',')
      ->check(number_check(0, false))
      ->type_name("P");
  fast_p
      ->add_option_function<std::string>(
          "--against",
          [options](const std::string& word) {
            options->against = word == "baseline" ? Against::baseline : Against::reference;
          },
          "What to be faster than; default: the baseline where there is one")
      ->check(one_of({"baseline", "reference"}))
      ->type_name("WHAT");
  add_baseline_author(*fast_p, options->baseline_author);
  add_record_filter(*fast_p, options->filters.records, ByStatus::no);
  add_trace_choice(*fast_p, options->filters.choice);
  fast_p->footer(
      std::string("Examples:\n"
                  "  fib report fast-p --local DIR\n"
                  "  fib report fast-p --local DIR --p 1,2 --against reference --format csv\n"
                  "A problem is a workload of a definition; those that nobody tried count too. The\n"
                  "thresholds are strict: fast_1 counts what is faster than the baseline, fast_0 all that\n"
                  "is solved. JSON holds the whole curves.\n") +
      kLocalDefault);
  fast_p->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
