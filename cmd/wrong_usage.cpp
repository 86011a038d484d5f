#include "wrong_usage.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <vector>

#include "util/closest.h"

namespace fib::cmd {
namespace {

// Commands that other programs have and fib does not, and what does their work.
const std::map<std::string, std::string>& commands_elsewhere() {
  static const std::map<std::string, std::string> commands{
      {"help", "; to see all commands: fib --help"},
      {"version", "; fib --version says it"},
      {"serve", "; to evaluate solutions: fib run"},
      {"validate-render", "; to have the report as text: fib validate --outputs text"},
  };
  return commands;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(child->get_name());
  return names;
}

std::string unknown_command(const CLI::App& command, const std::string& word) {
  const auto elsewhere = commands_elsewhere().find(word);
  const std::string hint = elsewhere != commands_elsewhere().end()
                               ? elsewhere->second
                               : util::did_you_mean(word, commands_of(command));
  return fmt::format("there is no command \"{}\"{}", word, hint);
}

std::string explain(const CLI::App& command, const std::string& word) {
  if (word.starts_with('-') && word != "-") {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("there is no option {}{}", name,
                       name == "-V" || name == "-v" ? "; fib --version says the version"
                                                    : util::did_you_mean(name, options_of(command)));
  }
  if (!commands_of(command).empty() && command.get_subcommands().empty())
    return unknown_command(command, word);
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(word, ignored);
  return fmt::format("\"{}\" is one word too many{}", word,
                     is_folder ? "; a dataset is named with --local" : "");
}

}  // namespace

std::string unknown_word(const CLI::App& app) {
  std::string title;
  for (const CLI::App* command = &app; command != nullptr;) {
    title += (title.empty() ? "" : " ") + command->get_name();
    const auto words = command->remaining();
    if (!words.empty()) return title + ": " + explain(*command, words.front());
    const auto chosen = command->get_subcommands();
    command = chosen.empty() ? nullptr : chosen.back();
  }
  return "";
}

}  // namespace fib::cmd
