#pragma once

#include <string>

// Text of man pages: the roff language with the macros of man(7). Pure. All results end with a line break
// where they are lines; escaped(), bold() and italic() are parts of a line.
namespace fib::cmd::roff {

// `text` as it is to appear, on one line of the source: no character of it is a request or an escape, and
// hyphens are those that can be typed (groff_char(7)).
[[nodiscard]] std::string escaped(const std::string& text);
[[nodiscard]] std::string bold(const std::string& text);
[[nodiscard]] std::string italic(const std::string& text);

// The same as an argument of a macro, which quotes would end.
[[nodiscard]] std::string section(const std::string& title);
[[nodiscard]] std::string subsection(const std::string& title);

// An item with its explanation, both as source: `tag` of escaped(), bold() and italic(), `body` of lines.
[[nodiscard]] std::string item(const std::string& tag, const std::string& body);

// `text` to be filled; its line breaks and indentation do not matter, an empty line begins a new paragraph.
[[nodiscard]] std::string paragraph(const std::string& text);

// `text` line by line, less the indentation that all its lines have.
[[nodiscard]] std::string preformatted(const std::string& text);

}  // namespace fib::cmd::roff
