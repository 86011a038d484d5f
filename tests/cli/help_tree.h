#pragma once

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_fib.h"

// The commands and options as `--help` shows them: what completion scripts and man pages are held against.
namespace fib::testing {

struct HelpPage {
  std::vector<std::string> path;     // {"fib", "report", "best"}
  std::vector<std::string> options;  // long names: "--format"

  [[nodiscard]] std::string name(const std::string& separator) const {
    std::string text;
    for (const std::string& word : path) text += (text.empty() ? "" : separator) + word;
    return text;
  }
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The page of `path` (which begins with "fib") and of all commands below it, parents first.
inline void add_help_pages(const std::vector<std::string>& path, std::vector<HelpPage>& pages) {
  static const std::regex long_name("--[a-z][a-z-]*");
  std::vector<std::string> arguments(path.begin() + 1, path.end());
  arguments.emplace_back("--help");
  HelpPage page{path, {}};
  std::vector<std::string> children;
  bool in_commands = false;
  for (const std::string& line : lines_of(run_fib(arguments, "/").out)) {
    if (line.empty() || line[0] != ' ') in_commands = line == "Subcommands:";
    if (!line.starts_with("  ") || line[2] == ' ') continue;
    const std::string word = line.substr(2, line.find(' ', 2) - 2);  // "-h,--help"
    if (in_commands) children.push_back(word);
    if (word[0] != '-') continue;
    for (std::sregex_iterator match(word.begin(), word.end(), long_name), end; match != end; ++match)
      page.options.push_back(match->str());
  }
  pages.push_back(page);
  for (const std::string& child : children) {
    std::vector<std::string> below = path;
    below.push_back(child);
    add_help_pages(below, pages);
  }
}

inline std::vector<HelpPage> help_pages() {
  std::vector<HelpPage> pages;
  add_help_pages({"fib"}, pages);
  return pages;
}

}  // namespace fib::testing
