#include "visual/html.h"

#include <fmt/format.h>

#include "chart/markup.h"
#include "present/text.h"
#include "util/xml.h"

namespace fib::visual {
namespace {

namespace json = model::json;

std::string cell(const present::Column& column, const present::Cell& value) {
  const bool number = column.align == present::Align::right;
  const bool exact = value.value.kind == json::Kind::number && value.value.text != value.text;
  const std::string& shown = present::printable(value.text);
  return tag("td", {{"class", number ? "n" : ""}, {"data-v", exact ? value.value.text : ""}},
             util::escape_xml(shown));
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

std::string id_of(std::string_view name) {
  std::string id;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    id += plain ? std::string(1, c) : fmt::format("~{:02x}", static_cast<unsigned char>(c));
  }
  return id;
}

std::string table_box(std::size_t rows, const std::string& table) {
  constexpr std::size_t kMostInSight = 40;
  return tag("div", {{"class", rows > kMostInSight ? "wide tall" : "wide"}}, table) + "\n";
}

std::string html_table(const present::Table& table, std::string_view caption) {
  if (table.rows.empty()) return "";
  std::string head;
  for (const present::Column& column : table.columns) {
    if (column.audience != present::Audience::programs) head += header(column);
  }
  std::string body;
  for (const auto& row : table.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].audience != present::Audience::programs) cells += cell(table.columns[i], row[i]);
    }
    body += "<tr>" + cells + "\n";
  }
  const std::string content = (caption.empty() ? "" : text_tag("caption", caption)) + "<thead><tr>" + head +
                              "</thead><tbody>" + body + "</tbody>";
  return table_box(table.rows.size(), tag("table", {{"class", "sortable"}}, content));
}

std::string figcaption(std::string_view caption) { return text_tag("figcaption", caption); }

}  // namespace fib::visual
