#pragma once

#include <string>
#include <string_view>

#include "present/highlight.h"

// Sources and logs, whose lines matter, as people see them. Pure.
namespace fib::present {

// `text` by without_controls(), but with its line breaks (CR LF as LF) and tabs.
[[nodiscard]] std::string printable_lines(std::string_view text);

// The same, and no line but the first begins at the margin: what a message quotes cannot look like another
// message.
[[nodiscard]] std::string quoted_lines(std::string_view text);

// The source with line numbers, every line ended by a newline; with escape codes for colours where `colours`.
// Harmless as printable_lines().
[[nodiscard]] std::string numbered(std::string_view source, Syntax syntax, bool colours);

// Each line of `text` behind `indent` spaces, harmless as printable() has it.
[[nodiscard]] std::string indented(std::string_view text, std::size_t indent);

// A fenced code block of Markdown that holds any text; `language` is "python", "cpp" or empty.
[[nodiscard]] std::string fenced(std::string_view text, std::string_view language);

// The first or the last lines of `text`, at most `count`; `left_out` tells how many more there are.
[[nodiscard]] std::string_view first_lines(std::string_view text, std::size_t count, std::size_t& left_out);
[[nodiscard]] std::string_view last_lines(std::string_view text, std::size_t count, std::size_t& left_out);

}  // namespace fib::present
