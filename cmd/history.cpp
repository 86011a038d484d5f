#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "config_defaults.h"
#include "read_history.h"
#include "report/history_text.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

struct HistoryOptions {
  ReadOptions read;
  std::string run;
  bool show_seed = false;
};

int run(const HistoryOptions& options) {
  std::vector<report::DatasetHistory> histories;
  for (const std::string& root : dataset_folders(options.read)) {
    histories.push_back(read_history(root, options.read.strict_load));
  }
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
  history->add_flag("--show-seed", options->show_seed,
                    "Show a run's seed too, which fib run --seed takes to repeat the run's inputs");
  history->footer(
      std::string("Examples:\n"
                  "  fib history --local DIR\n"
                  "  fib history last --local DIR\n"
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
