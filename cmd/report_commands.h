#pragma once

#include <CLI/CLI.hpp>

namespace fib::cmd {

// The reports: subcommands of `fib report`. As in commands.h.
void add_report_summary(CLI::App& app, int& exit_code);
void add_report_best(CLI::App& app, int& exit_code);

}  // namespace fib::cmd
