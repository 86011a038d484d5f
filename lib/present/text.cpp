#include "present/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "util/utf8.h"

namespace fib::present {
namespace {

using util::Character;
using util::first_character;

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return range.first <= code && code <= range.last; });
}

// Combining marks, zero-width spaces and joiners, direction marks, variation selectors.
constexpr std::array<Range, 9> kNoWidth{{{0x300, 0x36F},
                                         {0x483, 0x489},
                                         {0x200B, 0x200F},
                                         {0x20D0, 0x20FF},
                                         {0x2060, 0x2064},
                                         {0xFE00, 0xFE0F},
                                         {0xFE20, 0xFE2F},
                                         {0x1107F, 0x1107F},
                                         {0x13430, 0x13440}}};

constexpr std::array<Range, 11> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1F64F},
                                       {0x1F680, 0x1FAFF},
                                       {0x20000, 0x3FFFD}}};

std::size_t width_of(char32_t code) {
  if (within(kNoWidth, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

bool is_control(const Character& character) {
  const char32_t code = character.code;
  // The second range are the C1 controls; the others end lines (U+2028 and U+2029), or turn the direction of
  // what follows.
  return code < 0x20 || (code >= 0x7F && code < 0xA0 && character.bytes == 2) || code == 0x7F ||
         code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// A stray byte would make the output no UTF-8.
bool is_stray(const Character& character) { return character.bytes == 1 && character.code >= 0x80; }

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += width_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character character = first_character(text.substr(end));
    const std::size_t columns = width_of(character.code);
    if (used + columns + 1 > width) break;
    used += columns;
    end += character.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width || width < 3) return shorten(text, width);
  const std::size_t head_width = width / 2;
  const std::string head = shorten(text, head_width + 1);  // with the ellipsis
  const std::size_t room = width - display_width(head);
  std::size_t left = display_width(text);
  while (left > room) {
    const Character character = first_character(text);
    left -= width_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return head + std::string(text);
}

namespace {

// Where the names of a group first differ, at the begin of a character.
std::size_t common_beginning(const std::vector<std::string>& names) {
  std::size_t length = names.front().size();
  for (const std::string& name : names) {
    const auto [end, other] =
        std::mismatch(names.front().begin(), names.front().end(), name.begin(), name.end());
    length = std::min(length, static_cast<std::size_t>(end - names.front().begin()));
  }
  constexpr unsigned kContinues = 0x80;  // bytes of UTF-8 within a character are 10xxxxxx
  const std::string& first = names.front();
  while (length > 0 && length < first.size() &&
         (static_cast<unsigned char>(first[length]) & 0xC0U) == kContinues)
    --length;
  return length;
}

}  // namespace

std::map<std::string, std::string> shorten_names(const std::set<std::string>& names, std::size_t width) {
  std::map<std::string, std::vector<std::string>> alike;
  for (const std::string& name : names) alike[shorten_middle(name, width)].push_back(name);
  std::map<std::string, std::string> shortened;
  for (const auto& [text, group] : alike) {
    const std::size_t differ = common_beginning(group);
    const std::size_t head_width = width / 4;
    for (const std::string& name : group) {
      const bool is_clear =
          group.size() == 1 || head_width == 0 || display_width(name.substr(0, differ)) <= head_width;
      shortened[name] = is_clear ? text
                                 : shorten(name, head_width + 1) +  // with the ellipsis
                                       shorten_middle(name.substr(differ), width - head_width - 1);
    }
  }
  return shortened;
}

std::string without_controls(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (text.front() == '\n' || text.front() == '\r' || text.front() == '\t') {
      result += ' ';
    } else if (is_control(character) || is_stray(character)) {
      result += '?';
    } else {
      result += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

std::string without_commands(std::string line) {
  // The runner skips all that Unicode calls white space, and perhaps what has no width.
  const auto is_seen = [](char c) { return c > ' ' && c <= '~'; };
  const auto begin = static_cast<std::size_t>(std::find_if(line.begin(), line.end(), is_seen) - line.begin());
  if (line.compare(begin, 2, "::") == 0) line.insert(begin + 1, " ");
  const auto is_letter = [](char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); };
  constexpr std::string_view kMarks = "##";
  for (std::size_t at = line.find(kMarks); at != std::string::npos; at = line.find(kMarks, at + 1)) {
    std::size_t end = at + kMarks.size();
    while (end < line.size() && is_letter(line[end])) ++end;
    if (end < line.size() && line[end] == '[') line.insert(at + kMarks.size(), " ");
  }
  return line;
}

std::string printable(std::string_view text) { return without_commands(without_controls(text)); }

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0) return std::string(text);
  std::string result;
  std::string line;
  std::size_t used = 0;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    const std::size_t columns = display_width(word);
    if (!is_first && used + 1 + columns > width) {
      result += without_commands(std::exchange(line, std::string(indent, ' '))) + '\n';
      used = indent;
    } else if (!is_first) {
      line += ' ';
      ++used;
    }
    line += word;
    is_first = is_first && line.empty();
    used += columns;
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return result + without_commands(std::move(line));
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string format_ms(double milliseconds) {
  if (!std::isfinite(milliseconds) || milliseconds == 0) return fmt::format("{:.0f}", milliseconds);
  if (milliseconds < 1e-4) return fmt::format("{:.2e}", milliseconds);
  return milliseconds < 1000 ? fmt::format("{:.5f}", milliseconds) : fmt::format("{:.1f}", milliseconds);
}

std::string format_score(double speedup) { return fmt::format("{:.4f}", speedup); }

std::string format_share(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string format_interval(double share) {
  if (share < 0.1) return fmt::format("±{:.1f}%", share * 100);
  return share < 1 ? fmt::format("±{:.0f}%", share * 100) : fmt::format("0 to {:.1f}x", 1 + share);
}

std::string format_error(double error) { return error == 0 ? "0" : fmt::format("{:.2e}", error); }

}  // namespace fib::present
