#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion_scripts.h"

namespace fib::cmd {
namespace {

constexpr const char* kFishCode = R"fish(
# Whether the command $argv[1] is being typed and none of the other words was. With --value, the word before the
# cursor does not count, for its value may be what is typed; but --option=value is complete.
function __fib_at
    set -l words (commandline -opc)
    test (__fib_command) = $argv[1]; or return
    if test "$argv[2]" = --value
        set -e argv[2]
        string match -q -- '*=*' $words[-1]; or set -e words[-1]
    end
    for word in $words
        contains -- (string replace -r '=.*' '' -- $word) $argv[2..-1]; and return 1
    end
    return 0
end

complete -c fib -f
)fish";

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : one_line(text)) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

// The words that are offered for a value, as arguments of `complete`.
std::string values_of(const OptionInfo& option) {
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::text:
      return " -x";
    case ValueKind::words:
      if (option.delimiter != '\0') {
        return fmt::format(" -x -a \"(__fish_complete_list '{}' 'printf %s\\\\n {}')\"", option.delimiter,
                           fmt::join(option.words, " "));
      }
      return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::file:
      return " -r -F";
  }
  return "";
}

// "-n '__fib_at "fib report best" --value --format'", and the command itself.
std::string start_of_line(const CommandInfo& command, const std::string& more) {
  return fmt::format("complete -c fib -n '__fib_at \"{}\"{}'", joined_path(command), more);
}

std::string option_line(const CommandInfo& command, const OptionInfo& option) {
  const auto blocked = blocked_names(option);
  std::string more;
  if (!blocked.empty()) {
    more = option.kind == ValueKind::none ? "" : " --value";
    more += fmt::format(" {}", fmt::join(blocked, " "));
  }
  std::string line = start_of_line(command, more);
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    line += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
  }
  return line + fmt::format("{} -d {}\n", values_of(option), quoted(option.description));
}

// A word that was typed is not offered again; where there are no words to know it by, files stay on offer.
std::string argument_line(const CommandInfo& command, const OptionInfo& argument) {
  if (argument.kind == ValueKind::text) return "";
  const std::string typed = argument.words.empty() || argument.many_values
                                ? ""
                                : fmt::format(" {}", fmt::join(argument.words, " "));
  std::string line = start_of_line(command, typed) + values_of(argument);
  return line + fmt::format(" -d {}\n", quoted(argument.value_name));
}

std::string command_lines(const CommandInfo& command) {
  std::string lines = fmt::format("\n# {}\n", joined_path(command));
  for (const CommandInfo& child : command.children) {
    lines += fmt::format("{} -a {} -d {}\n", start_of_line(command, ""), child.path.back(),
                         quoted(child.description));
  }
  for (const OptionInfo& argument : command.positionals) lines += argument_line(command, argument);
  for (const OptionInfo& option : command.options) lines += option_line(command, option);
  return lines;
}

// A function that prints the command being typed: "fib report best".
std::string command_function(const CommandInfo& root) {
  std::string patterns;
  for (const CommandInfo* command : all_commands(root)) {
    if (command != &root) patterns += fmt::format(" '{}'", joined_path(*command));
  }
  return fmt::format(
      "function __fib_command\n"
      "    set -l command fib\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        switch \"$command $word\"\n"
      "            case{}\n"
      "                set command \"$command $word\"\n"
      "        end\n"
      "    end\n"
      "    echo $command\n"
      "end\n",
      patterns);
}

}  // namespace

std::string fish_completion(const CommandInfo& root) {
  std::string text = "# Completion of fib for fish: the output of `fib completion fish`.\n\n" +
                     command_function(root) + kFishCode;
  for (const CommandInfo* command : all_commands(root)) text += command_lines(*command);
  return text;
}

}  // namespace fib::cmd
