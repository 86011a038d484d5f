#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fib::cmd {

// What is wrong with a command line that `app` has refused because of a word that it does not know, in one
// sentence with the words that are like it: "fib run: there is no option --iteratons; did you mean
// \"--iterations\"?". The empty text when it was refused for another reason. Pure.
[[nodiscard]] std::string unknown_word(const CLI::App& app);

// The same of a word that is missing, or of a value that is no number: "fib run: --noise takes a number,
// which
// \"5%\" is not; 5 % are 0.05". The empty text where the error is of another kind. Pure.
[[nodiscard]] std::string missing_or_unread(const CLI::App& app, const CLI::ParseError& error);

}  // namespace fib::cmd
