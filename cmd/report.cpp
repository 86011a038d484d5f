#include "commands.h"
#include "report_commands.h"

namespace fib::cmd {

void add_report(CLI::App& app, int& exit_code) {
  CLI::App* report = app.add_subcommand("report", "Rank and list what the traces of datasets say");
  report->require_subcommand(1);
  add_report_summary(*report, exit_code);
  add_report_best(*report, exit_code);
  add_report_rank(*report, exit_code);
  add_report_fast_p(*report, exit_code);
  add_report_compare(*report, exit_code);
  add_report_show(*report, exit_code);
  add_report_sol(*report, exit_code);
  add_report_merge(*report, exit_code);
  add_report_visualize(*report, exit_code);
  report->footer(
      "Examples:\n"
      "  fib report summary --local DIR                  who won\n"
      "  fib report best --local DIR --definition gemm   the best solution of a definition\n"
      "  fib report <report> --help                      all options of a report");
}

}  // namespace fib::cmd
