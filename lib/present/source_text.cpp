#include "present/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "present/text.h"

namespace fib::present {
namespace {

// Without the newlines; a last line may lack one. No lines for no text.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// without_controls() with tabs, and without the CR of CR LF; `piece` has no line breaks of its own.
std::string printable_piece(std::string_view piece, bool ends_line) {
  if (ends_line && piece.ends_with('\r')) piece.remove_suffix(1);
  std::string result;
  for (std::size_t begin = 0; begin <= piece.size();) {
    const std::size_t tab = std::min(piece.find('\t', begin), piece.size());
    result += without_controls(piece.substr(begin, tab - begin));
    if (tab < piece.size()) result += '\t';
    begin = tab + 1;
  }
  return result;
}

// Each line of the text without control characters, as `form` makes it.
template <typename Form>
std::string harmless_lines(std::string_view text, Form&& form) {
  std::string result;
  for (const std::string_view line : lines_of(text)) result += form(printable_piece(line, true)) + "\n";
  if (!text.empty() && text.back() != '\n') result.pop_back();
  return result;
}

const char* colour_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::comment:
      return "\x1b[90m";
    case TokenKind::string:
      return "\x1b[32m";
    case TokenKind::number:
      return "\x1b[33m";
    case TokenKind::keyword:
      return "\x1b[36m";
    case TokenKind::directive:
      return "\x1b[35m";
  }
  return "";
}

// The line at [begin, end) of the source, its tokens coloured; `next` is the first token that may reach it.
std::string coloured_line(std::string_view source, std::size_t begin, std::size_t end,
                          const std::vector<Token>& tokens, std::size_t& next) {
  std::string text;
  std::size_t at = begin;
  const auto plain = [&](std::size_t to) {
    text += printable_piece(source.substr(at, to - at), to == end);
    at = to;
  };
  while (next < tokens.size() && tokens[next].begin < end) {
    const Token& token = tokens[next];
    plain(std::max(at, token.begin));
    const std::size_t to = std::min(token.end, end);
    if (to > at) {
      text += colour_of(token.kind);
      plain(to);
      text += "\x1b[0m";
    }
    if (token.end > end) return text;  // it goes on in the next line
    ++next;
  }
  plain(end);
  return text;
}

}  // namespace

std::string printable_lines(std::string_view text) {
  return harmless_lines(text, [](const std::string& line) { return line; });
}

std::string quoted_lines(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = printable(text.substr(begin, end - begin));
    if (begin > 0) result += line.starts_with(' ') || line.empty() ? "\n" : "\n  ";
    result += line;
    begin = end + 1;
  }
  return result;
}

std::string numbered(std::string_view source, Syntax syntax, bool colours) {
  const std::vector<Token> tokens = colours ? highlight(source, syntax) : std::vector<Token>{};
  const auto lines = lines_of(source);
  const std::size_t width = std::to_string(lines.size()).size();
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto begin = static_cast<std::size_t>(lines[i].data() - source.data());
    const std::string text = coloured_line(source, begin, begin + lines[i].size(), tokens, next);
    result +=
        without_commands(fmt::format("{:>{}}{}{}", i + 1, width, text.empty() ? "" : "  ", text)) + "\n";
  }
  return result;
}

std::string indented(std::string_view text, std::size_t indent) {
  return harmless_lines(text, [indent](const std::string& line) {
    return (line.empty() ? "" : std::string(indent, ' ')) + without_commands(line);
  });
}

std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string content = indented(text, 0);
  if (!content.empty() && content.back() != '\n') content += '\n';
  return fmt::format("{}{}\n{}{}\n", fence, language, content, fence);
}

std::string_view first_lines(std::string_view text, std::size_t count, std::size_t& left_out) {
  const auto lines = lines_of(text);
  left_out = lines.size() > count ? lines.size() - count : 0;
  if (left_out == 0) return text;
  return text.substr(0, static_cast<std::size_t>(lines[count].data() - text.data()));
}

std::string_view last_lines(std::string_view text, std::size_t count, std::size_t& left_out) {
  const auto lines = lines_of(text);
  left_out = lines.size() > count ? lines.size() - count : 0;
  if (left_out == 0) return text;
  return text.substr(static_cast<std::size_t>(lines[left_out].data() - text.data()));
}

}  // namespace fib::present
