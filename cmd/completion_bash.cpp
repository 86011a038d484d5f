#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion_scripts.h"

namespace fib::cmd {
namespace {

// Tables come first: functions that set variables of _fib for one command, option or argument.
constexpr const char* kBashCode = R"bash(
# Moves on by the finished word $1.
__fib_step() {
  if [[ $1 == = ]]; then
    return # bash cuts --option=value in three
  elif [[ -n $option && -z $given ]]; then
    given=1
    [[ -n $many ]] || option=
  elif [[ $1 == -?* ]]; then
    option=${1%%=*} given=
    __fib_option "$command" "$option"
    used+="$blocks "
    [[ $kind != none && $1 != *=* ]] || option=
  elif [[ -z $option ]]; then
    __fib_commands "$command"
    if [[ " $commands " == *" $1 "* ]]; then
      command+=" $1" used=' ' arguments=0
    else
      ((++arguments))
    fi
  fi
}

__fib_offer_value() {
  local start=
  case $kind in
    words)
      [[ -z $delimiter || $current != *"$delimiter"* ]] || start=${current%"$delimiter"*}$delimiter
      mapfile -t COMPREPLY < <(compgen -P "$start" -W "$words" -- "${current#"$start"}")
      ;;
    folder) compopt -o dirnames ;;
    file) compopt -o default ;;
  esac
}

__fib_offer_options() {
  local names name free=
  __fib_names "$command"
  for name in $names; do
    [[ $used == *" $name "* ]] || free+="$name "
  done
  mapfile -t COMPREPLY < <(compgen -W "$free" -- "$current")
}

_fib() {
  local IFS=$' \t\n' current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
  local command=fib option= given= used=' ' arguments=0 word
  local commands= blocks= kind=none many= delimiter= words=
  COMPREPLY=()
  if [[ $last == *[\<\>] ]]; then
    compopt -o default
    return
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do __fib_step "$word"; done
  [[ $current != = ]] || current=
  if [[ -n $option && -z $given ]]; then
    __fib_offer_value
    return
  elif [[ $current == -* ]]; then
    __fib_offer_options
    return
  elif [[ -z $option ]]; then
    __fib_commands "$command"
    if [[ -n $commands ]]; then
      mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
      return
    fi
    __fib_argument "$command" "$arguments"
  fi
  __fib_offer_value
  [[ $kind != none && $kind != text ]] || __fib_offer_options
}

complete -F _fib fib
)bash";

const char* name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::none:
      return "none";
    case ValueKind::text:
      return "text";
    case ValueKind::words:
      return "words";
    case ValueKind::folder:
      return "folder";
    case ValueKind::file:
      return "file";
  }
  return "text";
}

std::string value_settings(const OptionInfo& option) {
  std::string text = fmt::format(" kind={}", name_of(option.kind));
  if (option.many_values) text += " many=1";
  if (option.delimiter != '\0') text += fmt::format(" delimiter='{}'", option.delimiter);
  if (!option.words.empty()) text += fmt::format(" words='{}'", fmt::join(option.words, " "));
  return text;
}

// "'fib validate --local' | 'fib validate --dataset'"
std::string pattern_of(const std::string& command, const OptionInfo& option) {
  std::string pattern;
  for (const std::string& name : option.names)
    pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", command, name);
  return pattern;
}

std::string names_case(const CommandInfo& command) {
  std::string names;
  for (const OptionInfo& option : command.options) {
    for (const std::string& name : long_names(option)) names += (names.empty() ? "" : " ") + name;
  }
  return fmt::format("    '{}') names='{}' ;;\n", joined_path(command), names);
}

std::string children_case(const CommandInfo& command) {
  std::string names;
  for (const CommandInfo& child : command.children) names += (names.empty() ? "" : " ") + child.path.back();
  return names.empty() ? "" : fmt::format("    '{}') commands='{}' ;;\n", joined_path(command), names);
}

std::string option_cases(const CommandInfo& command) {
  std::string cases;
  for (const OptionInfo& option : command.options) {
    cases += fmt::format("    {}) blocks='{}'{} ;;\n", pattern_of(joined_path(command), option),
                         fmt::join(blocked_names(option), " "), value_settings(option));
  }
  return cases;
}

std::string argument_cases(const CommandInfo& command) {
  std::string cases;
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const OptionInfo& argument = command.positionals[i];
    const std::string place = argument.many_values ? "'*" : fmt::format("{}'", i);
    cases += fmt::format("    '{} {}){} ;;\n", joined_path(command), place, value_settings(argument));
  }
  return cases;
}

// One function that looks up $1 (and $2) in a table; `reset` is what it sets otherwise.
std::string table(const CommandInfo& root, const std::string& name, const std::string& key,
                  const std::string& reset, std::string (*cases)(const CommandInfo&)) {
  std::string text = fmt::format("{}() {{\n  {}\n  case \"{}\" in\n", name, reset, key);
  for (const CommandInfo* command : all_commands(root)) text += cases(*command);
  return text + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const CommandInfo& root) {
  const std::string value = "kind=none many= delimiter= words=";
  return "# Completion of fib for bash: the output of `fib completion bash`.\n\n" +
         table(root, "__fib_commands", "$1", "commands=", children_case) + "\n" +
         table(root, "__fib_names", "$1", "names=", names_case) + "\n" +
         table(root, "__fib_option", "$1 $2", "blocks= " + value, option_cases) + "\n" +
         table(root, "__fib_argument", "$1 $2", value, argument_cases) + kBashCode;
}

}  // namespace fib::cmd
