#pragma once

#include <filesystem>
#include <string>

#include "command_tree.h"

namespace fib::cmd {

// The man page of `command` (section 1, macros of man(7)) in the program whose root command is `root`. Pure;
// it names the version and no date, so that a build can be repeated.
[[nodiscard]] std::string man_page(const CommandInfo& command, const CommandInfo& root);

// What only the page of the program itself has: exit codes of all commands and the environment, as sections.
[[nodiscard]] std::string program_sections();

// Writes fib.1, fib-run.1, fib-report-best.1 ... to `folder`, which is made where it is missing. Other files
// stay. Throws Error.
void write_man_pages(const CommandInfo& root, const std::filesystem::path& folder);

}  // namespace fib::cmd
