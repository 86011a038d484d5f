#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "dataset/baselines.h"
#include "present/text.h"
#include "read_history.h"
#include "report/history_text.h"
#include "report/run_rest.h"
#include "report_common.h"
#include "util/shell_word.h"

namespace fib::cmd {
namespace {

struct BaselineOptions {
  ReadOptions read;
  std::string name;
  std::string run;
};

// The one dataset that --local names, or the default one.
std::string dataset_folder(const BaselineOptions& options) {
  const auto folders = dataset_folders(options.read);
  if (folders.size() != 1) throw CLI::ValidationError("--local", "one dataset at a time");
  return folders.front();
}

int set(const BaselineOptions& options) {
  (void)dataset::checked_baseline_name(options.name);
  const std::string root = dataset_folder(options);
  const auto history = read_history(root, false);
  const std::string run_id = report::choose_run({history}, options.run);
  dataset::write_baseline(root, options.name, run_id);
  const report::HistoryRun* run = report::find_run(history, run_id);
  print_result(fmt::format("{} is run {}: {}, {} passed\n", options.name, present::printable(run_id),
                           present::plural(run->evaluations(), "evaluation"), run->passed()));
  if (run->passed() == 0)
    fmt::print(stderr, "warning: nothing passed in it: comparisons with it can find no regression\n");
  const report::RunRest rest{run_id, run->record.not_done.value_or(0), run->has_record};
  if (!rest.is_none())
    fmt::print(stderr, "warning: {}: comparisons with it find nothing of that\n", rest.text());
  return kDone;
}

int remove(const BaselineOptions& options) {
  const std::string root = dataset_folder(options);
  std::vector<dataset::Problem> problems;
  const auto runs = dataset::runs_by_name(dataset::read_baselines(root, problems));
  const auto found = runs.find(options.name);
  if (found == runs.end())
    throw Error("{} has no baseline \"{}\"; to see all: fib baseline list --local {}", root, options.name,
                util::shell_word(root));
  dataset::write_baseline(root, options.name, std::nullopt);
  print_result(
      fmt::format("{} names no run any more; it was {}\n", options.name, present::printable(found->second)));
  return kDone;
}

int list(const BaselineOptions& options) {
  std::vector<report::DatasetHistory> histories;
  for (const std::string& root : dataset_folders(options.read))
    histories.push_back(read_history(root, options.read.strict_load));
  print_result(report::render_baselines(histories, options.read.format, stdout_style()));
  return kDone;
}

void add_local(CLI::App& app, BaselineOptions& options) {
  app.add_option("--local", options.read.local, "Dataset folder")->expected(1)->type_name("DIR");
}

}  // namespace

void add_baseline(CLI::App& app, int& exit_code) {
  CLI::App* baseline = app.add_subcommand("baseline", "Give names to runs, to compare later ones with them");
  baseline->require_subcommand(1);
  baseline->footer(
      std::string("Examples:\n"
                  "  fib baseline set main last --local DIR\n"
                  "  fib report compare main last --local DIR\n"
                  "  fib baseline list --local DIR\n"
                  "A baseline's name stands wherever a run is meant: in fib report compare and fib history.\n"
                  "Names are kept in runs/baselines.jsonl of the dataset, a line each time one is set.\n") +
      kLocalDefault + "Exit codes: 0 done, 1 no such run, name or dataset, 2 wrong usage.");

  auto to_set = std::make_shared<BaselineOptions>();
  CLI::App* set_command = baseline->add_subcommand("set", "Name a run; a name that is there moves to it");
  set_command->add_option("name", to_set->name, "Letters, digits, \".\", \"_\" and \"-\"")
      ->required()
      ->type_name("NAME");
  set_command
      ->add_option("run", to_set->run, "The run: its id, the beginning of it, last, last~1, a baseline")
      ->required()
      ->type_name("RUN_ID");
  add_local(*set_command, *to_set);
  set_command->callback([to_set, &exit_code] { exit_code = set(*to_set); });

  auto to_remove = std::make_shared<BaselineOptions>();
  CLI::App* remove_command = baseline->add_subcommand("remove", "Take a name away; its run stays");
  remove_command->add_option("name", to_remove->name, "The baseline")->required()->type_name("NAME");
  add_local(*remove_command, *to_remove);
  remove_command->callback([to_remove, &exit_code] { exit_code = remove(*to_remove); });

  auto to_list = std::make_shared<BaselineOptions>();
  CLI::App* list_command = baseline->add_subcommand("list", "Show the names and the runs they mean");
  add_read_options(*list_command, to_list->read);
  list_command->callback([to_list, &exit_code] { exit_code = list(*to_list); });
}

}  // namespace fib::cmd
