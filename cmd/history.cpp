#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "config_defaults.h"
#include "read_history.h"
#include "report/history_text.h"
#include "report_common.h"
#include "util/error.h"

namespace fib::cmd {
namespace {

struct HistoryOptions {
  ReadOptions read;
  std::string run;
  std::vector<std::string> tags;
  bool show_seed = false;
};

// Whether the run has the tag: "KEY", or "KEY=VALUE".
bool has_tag(const dataset::RunRecord& run, const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto found = run.tags.is_object() ? run.tags.find(text.substr(0, equals)) : run.tags.end();
  if (!run.tags.is_object() || found == run.tags.end()) return false;
  return equals == std::string::npos || *found == text.substr(equals + 1);
}

// Leaves the runs that have every tag. Throws Error when none has.
void keep_tagged(std::vector<report::DatasetHistory>& histories, const std::vector<std::string>& tags) {
  bool any = false;
  for (report::DatasetHistory& history : histories) {
    std::erase_if(history.runs, [&](const report::HistoryRun& run) {
      return !std::all_of(tags.begin(), tags.end(),
                          [&](const std::string& tag) { return has_tag(run.record, tag); });
    });
    any = any || !history.runs.empty();
  }
  if (!any) throw Error("no run has the tag {}", fmt::join(tags, " and "));
}

int run(const HistoryOptions& options) {
  std::vector<report::DatasetHistory> histories;
  for (const std::string& root : dataset_folders(options.read)) {
    histories.push_back(read_history(root, options.read.strict_load));
  }
  if (!options.tags.empty()) keep_tagged(histories, options.tags);
  const auto defaults = config_defaults();
  const auto format = options.read.format;
  if (options.run.empty()) {
    print_result(report::render_history(histories, defaults, format, stdout_style()));
    return kDone;
  }
  const std::string run_id = report::choose_run(histories, options.run);
  const auto seed = options.show_seed ? report::Seed::shown : report::Seed::hidden;
  print_result(report::render_run(histories, run_id, defaults, seed, format, stdout_style()));
  return kDone;
}

}  // namespace

void add_history(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* history = app.add_subcommand("history", "List the runs of datasets, or show one");
  history
      ->add_option(
          "run", options->run,
          "The run to show: its id, the beginning of it, last, last~1, ..., a baseline; default: list all")
      ->type_name("RUN_ID");
  add_read_options(*history, options->read);
  history
      ->add_option("--tag", options->tags,
                   "Only runs with this tag, as fib run --tag gave it: KEY, or KEY=VALUE; repeatable")
      ->allow_extra_args(false)
      ->type_name("TAG");
  history->add_flag("--show-seed", options->show_seed,
                    "Show a run's seed too, which fib run --seed takes to repeat the run's inputs");
  history->footer(
      std::string("Examples:\n"
                  "  fib history --local DIR\n"
                  "  fib history last --local DIR\n"
                  "  fib history --tag branch=main --local DIR\n"
                  "  fib history 20260317T1418 --local DIR --show-seed --format json\n"
                  "Runs are in runs/runs.jsonl of the dataset, the newest last. A run that was killed\n"
                  "has no record there; it is listed by its traces. Remarks tell what was swept and\n"
                  "which options were not the usual.\n") +
      kLocalDefault +
      "Exit codes: 0 done, 1 a dataset or run does not exist or cannot be read, or\n"
      "--strict-load and a file or line could not be loaded, 2 wrong usage.");
  history->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fib::cmd
