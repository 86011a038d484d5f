#pragma once

#include <CLI/CLI.hpp>

namespace fib::cmd {

// What a process tells its caller.
enum ExitCode : int {
  kDone = 0,        // everything asked for was done
  kNotAllDone = 1,  // something could not be done or loaded
  kWrongUsage = 2,  // the command line is wrong
  kGateFailed = 3,  // a gate the user asked for did not hold
  kInterrupted = 130,
};

// Each adds one subcommand to `app`: its options live in a shared struct that the callback owns; parsing
// opens nothing, running parses nothing. The callback stores the exit code. Errors are thrown as fib::Error
// and end up in main.
void add_run(CLI::App& app, int& exit_code);
void add_eval(CLI::App& app, int& exit_code);
void add_disasm(CLI::App& app, int& exit_code);
void add_profile(CLI::App& app, int& exit_code);
void add_sanitize(CLI::App& app, int& exit_code);
void add_new(CLI::App& app, int& exit_code);
void add_apply(CLI::App& app, int& exit_code);
void add_config(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
void add_history(CLI::App& app, int& exit_code);
void add_baseline(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_merge(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_pack(CLI::App& app, int& exit_code);
void add_unpack(CLI::App& app, int& exit_code);
void add_visualize(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
// `app` must be the whole program's: the scripts are made of it.
void add_completion(CLI::App& app, int& exit_code);

// What `fib --version` prints.
[[nodiscard]] std::string version_text();

}  // namespace fib::cmd
