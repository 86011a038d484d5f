#include "wrong_usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "util/closest.h"
#include "util/text.h"

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

// The last command that the line names, with its whole name.
std::pair<const CLI::App*, std::string> last_command(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string title = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    title += " " + command->get_name();
  }
  return {command, title};
}

// "; 5 % are 0.05" of "5%".
std::string share_of_percent(const std::string& value) {
  if (!value.ends_with('%')) return "";
  const std::string digits = value.substr(0, value.size() - 1);
  char* end = nullptr;
  const double percent = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0' || !std::isfinite(percent)) return "";
  return fmt::format("; {} % are {:.6g}", digits, percent / 100);
}

}  // namespace

std::string missing_or_unread(const CLI::App& app, const CLI::ParseError& error) {
  const auto [command, title] = last_command(app);
  const std::string text = error.what();
  const auto rest_of = [&](std::string_view begin, std::string_view end) {
    const bool fits =
        text.size() > begin.size() + end.size() && text.starts_with(begin) && text.ends_with(end);
    return fits ? text.substr(begin.size(), text.size() - begin.size() - end.size()) : "";
  };
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (text == "A subcommand is required")
      return fmt::format("{}: a subcommand is required: {}", title, fmt::join(commands_of(*command), ", "));
    const std::string name = rest_of("", " is required");
    return name.empty()
               ? ""
               : fmt::format("{}: {} is missing", title, name.starts_with('-') ? name : util::raised(name));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) == nullptr) return "";
  const std::string unread = rest_of("Could not convert: ", "");
  const auto equals = unread.find(" = ");
  if (equals == std::string::npos) return "";
  const std::string value = unread.substr(equals + 3);
  return fmt::format("{}: {} takes a number, which \"{}\" is not{}", title, unread.substr(0, equals), value,
                     share_of_percent(value));
}

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
