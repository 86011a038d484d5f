#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fib::cmd {

// What is wrong with a command line that `app` has refused because of a word that it does not know, in one
// sentence with the words that are like it: "fib run: there is no option --iteratons; did you mean
// \"--iterations\"?". The empty text when it was refused for another reason. Pure.
[[nodiscard]] std::string unknown_word(const CLI::App& app);

}  // namespace fib::cmd
