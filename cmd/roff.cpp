#include "roff.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace fib::cmd::roff {
namespace {

std::string escape_of(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '"':
      return "\\(dq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '\n':
      return " ";
    default:
      return std::string(1, c);
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t indentation(const std::string& line) { return line.find_first_not_of(' '); }

}  // namespace

std::string escaped(const std::string& text) {
  std::string result = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) result += escape_of(c);
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }

std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string section(const std::string& title) { return fmt::format(".SH \"{}\"\n", escaped(title)); }

std::string subsection(const std::string& title) { return fmt::format(".SS \"{}\"\n", escaped(title)); }

std::string item(const std::string& tag, const std::string& body) {
  return fmt::format(".TP\n{}\n{}", tag, body);
}

std::string paragraph(const std::string& text) {
  std::string result;
  bool gap = false;
  for (const std::string& line : lines_of(text)) {
    const std::size_t begin = indentation(line);
    if (begin == std::string::npos) {
      gap = true;
      continue;
    }
    if (gap && !result.empty()) result += ".PP\n";
    gap = false;
    result += escaped(line.substr(begin, line.find_last_not_of(' ') + 1 - begin)) + "\n";
  }
  return result;
}

std::string preformatted(const std::string& text) {
  const auto lines = lines_of(text);
  std::size_t common = std::string::npos;
  for (const std::string& line : lines) common = std::min(common, indentation(line));
  std::string result = ".nf\n";
  for (const std::string& line : lines)
    result += line.size() > common ? escaped(line.substr(common)) + "\n" : "\n";
  return result + ".fi\n";
}

}  // namespace fib::cmd::roff
