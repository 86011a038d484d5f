#pragma once

#include <CLI/CLI.hpp>

namespace fib::cmd {

// Adds --color to `command` and all commands below it. What it is given is set in the environment
// (FORCE_COLOR, NO_COLOR), where everything that colours looks.
void add_color(CLI::App& command);

// Whether colours and bold text may be written to `fd`: not with NO_COLOR; with FORCE_COLOR (but "0") always;
// else to terminals that TERM does not call dumb. An empty variable counts as none.
[[nodiscard]] bool wants_color(int fd);

}  // namespace fib::cmd
