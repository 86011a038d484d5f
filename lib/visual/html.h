#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "chart/chart.h"
#include "present/table.h"

// The text of HTML elements. What is called text is escaped, what is called content is markup. All functions
// are pure.
namespace fib::visual {

using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;  // name, text

// "<name a="b">content</name>"; attributes with an empty text are left out.
[[nodiscard]] std::string tag(std::string_view name, const Attributes& attributes, std::string_view content);
// The same around text.
[[nodiscard]] std::string text_tag(std::string_view name, std::string_view text);

// The text as markup, with places where a browser may break long words: behind "_" and other signs, else
// after some letters.
[[nodiscard]] std::string breakable(std::string_view text);

// The text in which options ("--traces") are not broken at the end of a line. As markup.
[[nodiscard]] std::string with_whole_options(std::string_view text);

// A name as the id of an element: letters, digits, "-", "_" and "." stay, all else becomes "~" and two hex
// digits, so that different names have different ids.
[[nodiscard]] std::string id_of(std::string_view name);

[[nodiscard]] std::string figcaption(std::string_view caption);

// A table of so many rows in a box that scrolls sideways, and up and down where they are more than fit a
// screen.
[[nodiscard]] std::string table_box(std::size_t rows, const std::string& table);

// Where a table is wider than a phone.
enum class OnPhones { scrolls, cards };

// A table whose columns a reader can sort. Numbers are right-aligned and carry their exact value as data-v.
// Columns for programs, and those that say nothing in any row, are left out; a grouped table shows its first
// column in every row. On phones it scrolls sideways, or, of at most 40 rows, each
// is a card with the names of columns in it, which takes more of the page. Empty when it has no rows.
[[nodiscard]] std::string html_table(const present::Table& table, std::string_view caption,
                                     OnPhones on_phones = OnPhones::scrolls);

// A chart below its caption, in a box that scrolls sideways.
template <typename Chart>
[[nodiscard]] std::string figure(Chart chart, std::string_view caption) {
  chart.subtitle.clear();  // the caption says it
  const chart::SvgOptions in_page{560, false, false, chart::Theme::light};
  return "<figure>" + figcaption(caption) + "<div class=wide>" + to_svg(chart, in_page) + "</div></figure>\n";
}

}  // namespace fib::visual
