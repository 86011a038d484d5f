#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "util/closest.h"

namespace fib::cmd {

// A check for options that take one of these words; another is an error that says which is like it.
[[nodiscard]] inline CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& word) -> std::string {
    if (std::find(words.begin(), words.end(), word) != words.end()) return "";
    return fmt::format("\"{}\" is none of {}{}", word, fmt::join(words, ", "),
                       util::did_you_mean(word, words));
  };
  return {check, fmt::format("{{{}}}", fmt::join(words, ","))};
}

// An option whose value is one of some words.
template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value, const std::string& description,
                        const std::map<std::string, Value>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, choice] : choices) words.push_back(word);
  const auto take = [&value, choices](const std::string& word) { value = choices.at(word); };
  return app.add_option_function<std::string>(name, take, description)->check(one_of(words));
}

}  // namespace fib::cmd
