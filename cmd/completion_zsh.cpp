#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion_scripts.h"

namespace fib::cmd {
namespace {

std::string function_name(const CommandInfo& command) { return "_" + joined_path(command, "_"); }

// `text` inside of single quotes, with a backslash before each of `special`, which the reader of the string
// (_arguments, _describe) would take for its own.
std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : one_line(text)) {
    if (special.find(c) != std::string::npos) result += '\\';
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result;
}

std::string in_brackets(const std::string& text) { return escaped(text, "\\[]:"); }
std::string before_colon(const std::string& text) { return escaped(text, "\\:"); }

// What _arguments does for a value, from the colon on: ":FORMAT:(csv json)".
std::string action_of(const OptionInfo& option) {
  const std::string name = before_colon(option.value_name);
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::text:
      return fmt::format(":{}: ", name);
    case ValueKind::words:
      if (option.delimiter != '\0') {
        return fmt::format(":{}:_values -s {} {} {}", name, option.delimiter, name,
                           fmt::join(option.words, " "));
      }
      return fmt::format(":{}:({})", name, fmt::join(option.words, " "));
    case ValueKind::folder:
      return fmt::format(":{}:_files -/", name);
    case ValueKind::file:
      return fmt::format(":{}:_files", name);
  }
  return "";
}

// One specification for each name: '(-h --help)--help[Print this help message and exit]'.
std::string option_specs(const OptionInfo& option) {
  const auto blocked = blocked_names(option);
  const std::string start = blocked.empty() ? "" : fmt::format("({})", fmt::join(blocked, " "));
  std::string specs;
  for (const std::string& name : option.names) {
    const bool equals = option.kind != ValueKind::none && name.starts_with("--");
    specs += fmt::format(" \\\n    '{}{}{}{}[{}]{}'", start, option.repeatable ? "*" : "", name,
                         equals ? "=" : "", in_brackets(option.description), action_of(option));
  }
  return specs;
}

std::string argument_spec(const OptionInfo& argument, std::size_t place) {
  const std::string start = argument.many_values ? "*" : fmt::format("{}", place);
  return fmt::format(" \\\n    '{}{}{}'", start, argument.required || argument.many_values ? "" : ":",
                     action_of(argument));
}

std::string argument_lines(const CommandInfo& command) {
  std::string lines = "  _arguments -C";
  for (const OptionInfo& option : command.options) lines += option_specs(option);
  for (std::size_t i = 0; i < command.positionals.size(); ++i)
    lines += argument_spec(command.positionals[i], i + 1);
  if (!command.children.empty()) lines += " \\\n    '1:command:->command' \\\n    '*::argument:->arguments'";
  return lines + " && ret=0\n";
}

std::string state_lines(const CommandInfo& command) {
  if (command.children.empty()) return "";
  std::string commands;
  std::string calls;
  for (const CommandInfo& child : command.children) {
    const std::string& name = child.path.back();
    commands += fmt::format("        '{}:{}'\n", name, before_colon(child.description));
    calls += fmt::format("        ({}) {} && ret=0 ;;\n", name, function_name(child));
  }
  return fmt::format(
      "  case $state in\n"
      "    (command)\n"
      "      local -a commands=(\n{}      )\n"
      "      _describe -t commands 'command of {}' commands && ret=0\n"
      "      ;;\n"
      "    (arguments)\n"
      "      curcontext=\"${{curcontext%:*:*}}:{}-$line[1]:\"\n"
      "      case $line[1] in\n{}      esac\n"
      "      ;;\n"
      "  esac\n",
      commands, joined_path(command), joined_path(command, "-"), calls);
}

}  // namespace

std::string zsh_completion(const CommandInfo& root) {
  std::string text =
      "#compdef fib\n"
      "# Completion of fib for zsh: the output of `fib completion zsh`.\n";
  for (const CommandInfo* command : all_commands(root)) {
    text += fmt::format(
        "\n{}() {{\n"
        "  local curcontext=$curcontext state ret=1\n"
        "  local -a line\n"
        "  local -A opt_args\n",
        function_name(*command));
    text += argument_lines(*command) + state_lines(*command) + "  return ret\n}\n";
  }
  return text +
         "\n# Read by compinit as the file _fib, or sourced.\n"
         "if [[ ${funcstack[1]} == _fib ]]; then\n"
         "  _fib \"$@\"\n"
         "else\n"
         "  compdef _fib fib\n"
         "fi\n";
}

}  // namespace fib::cmd
