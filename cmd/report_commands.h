#pragma once

#include <CLI/CLI.hpp>

namespace fib::cmd {

// The reports: subcommands of `fib report`. As in commands.h.
void add_report_summary(CLI::App& app, int& exit_code);
void add_report_best(CLI::App& app, int& exit_code);
void add_report_rank(CLI::App& app, int& exit_code);
void add_report_fast_p(CLI::App& app, int& exit_code);
void add_report_compare(CLI::App& app, int& exit_code);
void add_report_show(CLI::App& app, int& exit_code);
void add_report_sol(CLI::App& app, int& exit_code);
void add_report_merge(CLI::App& app, int& exit_code);      // the same as `fib merge`
void add_report_visualize(CLI::App& app, int& exit_code);  // the same as `fib visualize`

}  // namespace fib::cmd
