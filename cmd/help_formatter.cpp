#include "help_formatter.h"

#include <algorithm>
#include <sstream>

#include "present/text.h"

namespace fib::cmd {
namespace {

constexpr std::size_t kLeast = 24;  // columns of a description, however narrow the terminal is

// One that is already broken by hand has its lines joined first.
std::string without_line_breaks(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Names with the words that an option takes, behind two spaces: "--format FORMAT:{csv,json}".
std::string broken_at_commas(const std::string& names, std::size_t width) {
  constexpr std::size_t kIndent = 6;
  std::string result;
  std::size_t used = 2;
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size() - 1) + 1;
    if (used + end - begin > width && used > kIndent) {
      result += "\n" + std::string(kIndent, ' ');
      used = kIndent;
    }
    result += names.substr(begin, end - begin);
    used += end - begin;
    begin = end;
  }
  return result;
}

}  // namespace

std::string HelpFormatter::broken(const std::string& text) const {
  if (width_ == 0) return text;
  const std::size_t names = get_column_width();
  return present::wrap(without_line_breaks(text), std::max(width_, names + kLeast) - names);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  const std::string names = make_option_name(option, is_positional) + make_option_opts(option);
  std::ostringstream out;
  CLI::detail::format_help(out, width_ == 0 ? names : broken_at_commas(names, width_),
                           make_option_desc(option), get_column_width());
  return out.str();
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return broken(CLI::Formatter::make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  std::ostringstream out;
  CLI::detail::format_help(out, command->get_display_name(true), broken(command->get_description()),
                           get_column_width());
  return out.str();
}

// Its lines are broken by hand; only those that are too wide are broken again. What follows of an example is
// set off further than the example.
std::string HelpFormatter::make_footer(const CLI::App* command) const {
  const std::string footer = CLI::Formatter::make_footer(command);
  if (width_ == 0) return footer;
  std::istringstream lines(footer);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t next = indent == 0 ? 0 : indent + 4;
    const std::size_t room = std::max(width_, next + kLeast) - indent;
    const bool fits = present::display_width(line) <= width_;
    result += (fits ? line : line.substr(0, indent) + present::wrap(line.substr(indent), room, next)) + "\n";
  }
  return result;
}

}  // namespace fib::cmd
