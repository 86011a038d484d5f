#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace fib::cmd {

// An option whose value is one of some words.
template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value, const std::string& description,
                        const std::map<std::string, Value>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, choice] : choices) words.push_back(word);
  const auto take = [&value, choices](const std::string& word) { value = choices.at(word); };
  return app.add_option_function<std::string>(name, take, description)->check(CLI::IsMember(words));
}

}  // namespace fib::cmd
