#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fib::visual {

// A cell whose content is markup.
struct PageCell {
  std::string content;
  std::optional<double> value = std::nullopt;  // by which a reader sorts; nothing: by the text
  std::optional<double> bar = std::nullopt;    // 0 to 1: how far a bar below the content reaches
  std::string css = {};                        // classes beside those of numbers and bars
};

struct PageColumn {
  std::string name;
  bool is_number = false;
  bool is_extra = false;   // of class "extra": what a first look can do without, where a phone scrolls
  std::size_t room = 0;    // characters of names that other columns shall not squeeze into several lines
  bool is_narrow = false;  // what they do not need is left to others
};

inline PageColumn name_column(const std::string& name, std::size_t room = 24) {
  return {name, false, false, room};
}
inline PageColumn narrow_name_column(const std::string& name) { return {name, false, false, 24, true}; }

// A table with links, bars and colours in its cells, which a reader can sort as those of html_table().
struct PageTable {
  std::vector<PageColumn> columns;
  std::vector<std::vector<PageCell>> rows;
  bool is_cards_on_phones = false;  // a row is a card there, with the names of columns in it
};

// Empty when it has no rows; columns in which every row has "-" are left out. Pure.
[[nodiscard]] std::string to_html(const PageTable& table, const std::string& caption);

// Text as a cell; a number's text, right-aligned where its column says so.
[[nodiscard]] PageCell plain(const std::string& text);
[[nodiscard]] PageCell number(const std::string& text, double value);

// A link to an element of the page; the text alone where `id` is empty.
[[nodiscard]] std::string link_to(const std::string& id, const std::string& text);

// Markup behind a dot of the colour that a solution has in charts; a line of its own.
[[nodiscard]] std::string named_dot(std::size_t colour, const std::string& content);

}  // namespace fib::visual
