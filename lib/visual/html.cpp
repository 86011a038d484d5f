#include "visual/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "chart/markup.h"
#include "present/text.h"
#include "util/xml.h"

namespace fib::visual {
namespace {

namespace json = model::json;

std::string cell(const present::Column& column, const present::Cell& value, bool with_name) {
  const bool number = column.align == present::Align::right;
  const bool exact = value.value.kind == json::Kind::number && value.value.text != value.text;
  const std::string shown = present::printable(value.text);
  return tag("td",
             {{"class", number ? "n" : ""},
              {"data-v", exact ? value.value.text : ""},
              {"data-name", with_name ? column.name : ""}},
             number ? util::escape_xml(shown) : breakable(shown));
}

std::string header(const present::Column& column) {
  return tag("th", {{"scope", "col"}, {"class", column.align == present::Align::right ? "n" : ""}},
             util::escape_xml(column.name));
}

}  // namespace

std::string tag(std::string_view name, const Attributes& attributes, std::string_view content) {
  std::string result = fmt::format("<{}", name);
  for (const auto& [attribute, text] : attributes) {
    if (!text.empty()) result += fmt::format(" {}=\"{}\"", attribute, util::escape_xml(text));
  }
  return fmt::format("{}>{}</{}>", result, content, name);
}

std::string text_tag(std::string_view name, std::string_view text) {
  return tag(name, {}, util::escape_xml(text));
}

std::string breakable(std::string_view text) {
  constexpr std::string_view kSigns = "_-/.,:;=|";
  constexpr std::size_t kLongWord = 12;   // longer ones may be broken
  constexpr std::size_t kLongPiece = 20;  // bytes of a word without such a sign
  std::string markup;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    std::size_t begin = 0;  // of the piece that is not yet in the markup
    for (std::size_t i = 1; word.size() > kLongWord && i < word.size(); ++i) {
      const bool is_begin = (static_cast<unsigned char>(word[i]) & 0xC0U) != 0x80U;  // of a character
      const bool is_in_number = std::isdigit(static_cast<unsigned char>(word[i])) != 0 &&
                                (word[i - 1] == '.' || word[i - 1] == '-');
      const bool is_sign = kSigns.find(word[i - 1]) != std::string_view::npos && !is_in_number;
      if (!is_begin || (!is_sign && i - begin < kLongPiece)) continue;
      markup += util::escape_xml(word.substr(begin, i - begin)) + "<wbr>";
      begin = i;
    }
    markup += util::escape_xml(word.substr(begin));
    if (end < text.size()) markup += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return markup;
}

std::string with_whole_options(std::string_view text) {
  std::string markup;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    markup += word.starts_with("--") ? tag("span", {{"class", "option"}}, util::escape_xml(word))
                                     : util::escape_xml(word);
    if (end < text.size()) markup += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return markup;
}

std::string id_of(std::string_view name) {
  std::string id;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    id += plain ? std::string(1, c) : fmt::format("~{:02x}", static_cast<unsigned char>(c));
  }
  return id;
}

// More cards would be longer than anybody scrolls.
constexpr std::size_t kMostCards = 40;
// A table of more rows scrolls in a box of its own, so that what follows stays near.
constexpr std::size_t kMostRowsWithoutBox = 24;

std::string table_box(std::size_t rows, const std::string& table) {
  return tag("div", {{"class", rows > kMostRowsWithoutBox ? "wide tall" : "wide"}}, table) + "\n";
}

std::string html_table(const present::Table& table, std::string_view caption, OnPhones on_phones) {
  if (table.rows.empty()) return "";
  const auto is_shown = [&](std::size_t column) {
    return table.columns[column].audience != present::Audience::programs &&
           std::any_of(table.rows.begin(), table.rows.end(),
                       [&](const auto& row) { return !row[column].text.empty() && row[column].text != "-"; });
  };
  std::vector<bool> shown;
  std::string head;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    shown.push_back(is_shown(i));
    if (shown[i]) head += header(table.columns[i]);
  }
  const bool is_cards = on_phones == OnPhones::cards && table.rows.size() <= kMostCards;
  std::string body;
  for (const auto& row : table.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (shown[i]) cells += cell(table.columns[i], row[i], is_cards);
    }
    body += "<tr>" + cells + "\n";
  }
  const std::string content = (caption.empty() ? "" : text_tag("caption", caption)) + "<thead><tr>" + head +
                              "</thead><tbody>" + body + "</tbody>";
  return table_box(table.rows.size(),
                   tag("table", {{"class", is_cards ? "sortable cards named" : "sortable"}}, content));
}

std::string figcaption(std::string_view caption) {
  return tag("figcaption", {}, breakable(present::printable(caption)));
}

}  // namespace fib::visual
