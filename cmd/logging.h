#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fib::cmd {

// Adds --log-level: which messages go to stderr, at once for the whole program. `usual` is said to be the
// default, in words. Names in capitals, as Python has them, are taken too.
void add_log_level(CLI::App& app, const std::string& usual);

// Sends log lines of the level and above to stderr; colours where wants_color() says so.
void set_up_logging();

}  // namespace fib::cmd
