#include "dataset/merge.h"

#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "logging.h"
#include "report/merge_text.h"
#include "report_commands.h"
#include "report_common.h"

namespace fib::cmd {
namespace {

struct MergeCommand {
  std::vector<std::string> local;
  std::string output;
  dataset::MergeOptions options;
  present::Format format = present::Format::table;
};

int run(const MergeCommand& command) {
  const std::vector<std::filesystem::path> inputs(command.local.begin(), command.local.end());
  return until_interrupted([&](const std::atomic<bool>& interrupted) {
    dataset::MergeOptions options = command.options;
    options.interrupted = &interrupted;
    const auto merged = dataset::merge(inputs, command.output, options);
    print_result(report::render_merge(merged, command.format, stdout_style()));
    return kDone;
  });
}

void add_merge_command(CLI::App& app, int& exit_code) {
  using dataset::OnConflict;
  auto command = std::make_shared<MergeCommand>();
  CLI::App* merge = app.add_subcommand("merge", "Make one dataset of several: nothing lost, nothing twice");
  merge->add_option("--local", command->local, "Dataset folder; repeat it for each")
      ->allow_extra_args(false)
      ->required()
      ->type_name("DIR");
  merge->add_option("--output", command->output, "The new dataset's folder")->required()->type_name("DIR");
  add_choice(*merge, "--on-conflict", command->options.on_conflict,
             "Solutions of one name, or workloads of one uuid, that differ; default: error",
             {{"error", OnConflict::error},
              {"first", OnConflict::first},
              {"last", OnConflict::last},
              {"rename", OnConflict::rename}})
      ->type_name("WHAT");
  merge->add_flag("--link", command->options.link_blobs,
                  "Hard links to blobs instead of copies, where possible");
  merge->add_flag("--skip-unreadable", command->options.skip_unreadable,
                  "Leave out files and lines that cannot be read");
  add_choice(*merge, "--format", command->format, "Form of the report; default: table",
             {{"table", present::Format::table},
              {"json", present::Format::json},
              {"csv", present::Format::csv},
              {"md", present::Format::md}})
      ->type_name("FORMAT");
  add_log_level(*merge, "info");
  merge->footer(
      "Examples:\n"
      "  fib merge --local machine1 --local machine2 --output all\n"
      "  fib merge --local a --local b --output all --on-conflict rename --format json\n"
      "Definitions must be equal. Equal solutions, workloads and traces are written once, blobs are copied "
      "and\n"
      "compared. The order of the datasets does not matter, but for --on-conflict first and last, which "
      "leave\n"
      "out the traces of what they leave out. The output appears whole or not at all.\n"
      "Exit codes: 0 done, 1 the datasets contradict each other, cannot be read or written, 2 wrong "
      "usage,\n130 interrupted.");
  merge->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace

void add_merge(CLI::App& app, int& exit_code) { add_merge_command(app, exit_code); }

void add_report_merge(CLI::App& app, int& exit_code) { add_merge_command(app, exit_code); }

}  // namespace fib::cmd
