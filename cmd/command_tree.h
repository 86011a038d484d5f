#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// The commands and options of the program as plain values: what completion scripts and man pages are made of.
namespace fib::cmd {

// How the value of an option or argument is completed.
enum class ValueKind { none, text, words, folder, file };

struct OptionInfo {
  std::vector<std::string> names;  // with their dashes, short ones first; of an argument: its one name
  bool positional = false;
  ValueKind kind = ValueKind::none;   // none: a flag
  std::string value_name;             // "DIR"; of a flag: empty
  std::vector<std::string> words;     // the values that are allowed; empty: any
  bool repeatable = false;            // may stand several times
  bool many_values = false;           // takes all values that follow it
  char delimiter = '\0';              // between the values of one word, as in "a,b"; '\0': none
  bool required = false;              // the command does not work without it
  std::string default_text;           // what help shows as the default; may be empty
  std::string description;            // a sentence or more, without a final dot
  std::string group;                  // the heading that help has it under
  std::vector<std::string> excludes;  // names of the options that must not stand beside it, sorted
};

struct CommandInfo {
  std::vector<std::string> path;  // "fib", "report", "best"
  std::string description;
  std::string footer;               // the end of its help page
  std::vector<std::string> groups;  // headings of options, in the order of help
  std::vector<OptionInfo> options;
  std::vector<OptionInfo> positionals;
  std::vector<CommandInfo> children;
};

// `app` and all commands below it, in the order of help; what help hides is left out. Any state of parsing
// will do. Words are read from the validators made by one_of() and CLI::IsMember, files and folders are known
// by the type names DIR, FOLDER, FILE and PATH.
[[nodiscard]] CommandInfo describe(CLI::App& app);

// "fib report best", or with another separator "fib-report-best".
[[nodiscard]] std::string joined_path(const CommandInfo& command, const std::string& separator = " ");

// `command` and all commands below it, parents first. The pointers live as long as `command`.
[[nodiscard]] std::vector<const CommandInfo*> all_commands(const CommandInfo& command);

// The names to offer: long ones, or the short one where there is no other.
[[nodiscard]] std::vector<std::string> long_names(const OptionInfo& option);

// Names that are not offered once `option` was typed: its own, unless it may be repeated, and what it
// excludes.
[[nodiscard]] std::vector<std::string> blocked_names(const OptionInfo& option);

// `text` with each line break, and the spaces around it, as one space.
[[nodiscard]] std::string one_line(const std::string& text);

}  // namespace fib::cmd
