#include "validate/python_lines.h"

#include <array>

#include "util/text.h"

namespace fib::validate {
namespace {

constexpr std::string_view kSpace = " \t\n\r\v\f\x1c\x1d\x1e\x1f";
constexpr std::array<std::string_view, 11> kLineEnds{
    "\r\n", "\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

// Bytes of the line end that starts at `at`; 0 when there is none.
std::size_t line_end(std::string_view text, std::size_t at) {
  for (const std::string_view end : kLineEnds) {
    if (text.substr(at, end.size()) == end) return end.size();
  }
  return 0;
}

}  // namespace

std::vector<dataset::Line> python_lines(std::string_view text) {
  std::vector<dataset::Line> lines;
  std::size_t number = 1;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end, bool ended) {
    const std::string_view line = util::trimmed(text.substr(begin, end - begin), kSpace);
    if (!line.empty()) lines.push_back({number, line, ended});
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = line_end(text, at);
    if (end > 0) {
      add(at, true);
      ++number;
      begin = at + end;
    }
    at += end > 0 ? end : 1;
  }
  add(text.size(), false);
  return lines;
}

}  // namespace fib::validate
