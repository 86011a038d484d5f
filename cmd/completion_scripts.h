#pragma once

#include <string>

#include "command_tree.h"

// Completion scripts of the whole program, made of its root command. Pure. The names of commands, options and
// words must be without spaces and quotes; descriptions may hold anything.
namespace fib::cmd {

// For bash 4.4 or newer; needs no bash-completion package.
[[nodiscard]] std::string bash_completion(const CommandInfo& root);
// For a file `_fib` in a folder of fpath, or to be sourced after compinit.
[[nodiscard]] std::string zsh_completion(const CommandInfo& root);
// For fish 3.0 or newer.
[[nodiscard]] std::string fish_completion(const CommandInfo& root);

}  // namespace fib::cmd
