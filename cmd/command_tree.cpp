#include "command_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace fib::cmd {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// CLI11 keeps validators to itself but for their descriptions: one_of()'s and CLI::IsMember's is
// "{csv,json}".
std::vector<std::string> validator_descriptions(CLI::Option& option) {
  std::vector<std::string> descriptions;
  try {
    for (int i = 0;; ++i) descriptions.push_back(option.get_validator(i)->get_description());
  } catch (const CLI::OptionNotFound&) {
    return descriptions;  // CLI11 does not say how many there are
  }
}

std::vector<std::string> words_of(const std::vector<std::string>& descriptions) {
  for (const std::string& text : descriptions) {
    if (text.size() > 2 && text.front() == '{' && text.back() == '}')
      return split(text.substr(1, text.size() - 2), ',');
  }
  return {};
}

// CLI11's type name is followed by the descriptions of all validators: "FORMAT:{csv,json}".
std::string value_name_of(const CLI::Option& option, const std::vector<std::string>& descriptions) {
  std::string name = option.get_type_name();
  std::string end;
  for (const std::string& text : descriptions) end += text.empty() ? "" : ":" + text;
  if (name.size() >= end.size()) name.resize(name.size() - end.size());
  return name;
}

ValueKind kind_of(const CLI::Option& option, const OptionInfo& info) {
  if (option.get_items_expected_max() == 0) return ValueKind::none;
  if (!info.words.empty()) return ValueKind::words;
  if (info.value_name == "DIR" || info.value_name == "FOLDER") return ValueKind::folder;
  if (info.value_name == "FILE" || info.value_name == "PATH") return ValueKind::file;
  return ValueKind::text;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> excluded_by(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const CLI::Option* other : option.get_excludes()) {
    const auto more = names_of(*other);
    names.insert(names.end(), more.begin(), more.end());
  }
  std::sort(names.begin(), names.end());  // CLI11 has them by address
  return names;
}

OptionInfo describe(CLI::Option& option) {
  const auto descriptions = validator_descriptions(option);
  OptionInfo info;
  info.names = names_of(option);
  info.positional = option.get_positional();
  info.words = words_of(descriptions);
  info.value_name = value_name_of(option, descriptions);
  info.kind = kind_of(option, info);
  if (info.kind == ValueKind::none) info.value_name.clear();
  info.repeatable = option.get_items_expected_max() > 1;
  info.many_values = info.repeatable && option.get_allow_extra_args();
  info.delimiter = option.get_delimiter();
  info.required = option.get_required();
  info.default_text = option.get_default_str();
  info.description = option.get_description();
  info.group = option.get_group();
  info.excludes = excluded_by(option);
  return info;
}

CommandInfo describe(CLI::App& app, std::vector<std::string> path) {
  path.push_back(app.get_name());
  CommandInfo info{path, app.get_description(), app.get_footer(), {}, {}, {}, {}};
  for (CLI::Option* option : app.get_options({})) {
    if (option->get_group().empty()) continue;  // hidden
    auto& list = option->get_positional() ? info.positionals : info.options;
    list.push_back(describe(*option));
  }
  for (const std::string& group : app.get_groups()) {
    const bool used = std::any_of(info.options.begin(), info.options.end(),
                                  [&](const OptionInfo& option) { return option.group == group; });
    if (used) info.groups.push_back(group);
  }
  const auto shown = [](const CLI::App* child) { return !child->get_group().empty(); };
  for (CLI::App* child : app.get_subcommands(std::function<bool(CLI::App*)>(shown)))
    info.children.push_back(describe(*child, path));
  return info;
}

void collect(const CommandInfo& command, std::vector<const CommandInfo*>& found) {
  found.push_back(&command);
  for (const CommandInfo& child : command.children) collect(child, found);
}

}  // namespace

CommandInfo describe(CLI::App& app) { return describe(app, {}); }

std::string joined_path(const CommandInfo& command, const std::string& separator) {
  return fmt::format("{}", fmt::join(command.path, separator));
}

std::vector<const CommandInfo*> all_commands(const CommandInfo& command) {
  std::vector<const CommandInfo*> found;
  collect(command, found);
  return found;
}

std::vector<std::string> long_names(const OptionInfo& option) {
  std::vector<std::string> names;
  std::copy_if(option.names.begin(), option.names.end(), std::back_inserter(names),
               [](const std::string& name) { return name.starts_with("--"); });
  return names.empty() ? option.names : names;
}

std::vector<std::string> blocked_names(const OptionInfo& option) {
  std::vector<std::string> names = option.excludes;
  if (!option.repeatable) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string one_line(const std::string& text) {
  std::string result;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(' ');
    result += (result.empty() ? "" : " ") + line.substr(begin, end - begin + 1);
  }
  return result;
}

}  // namespace fib::cmd
