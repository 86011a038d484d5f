#include "visual/page_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "chart/markup.h"
#include "chart/theme.h"
#include "present/text.h"
#include "util/xml.h"
#include "visual/html.h"

namespace fib::visual {
namespace {

std::string class_names(const std::vector<std::string>& classes) {
  std::string text;
  for (const std::string& one : classes) {
    if (!one.empty()) text += (text.empty() ? "" : " ") + one;
  }
  return text;
}

std::string classes_of(const PageColumn& column) {
  return class_names({column.is_number ? "n" : "", column.is_extra ? "extra" : ""});
}

std::string classes_of(const PageColumn& column, const PageCell& cell) {
  return class_names({classes_of(column), cell.bar ? "bar" : "", cell.css});
}

std::string to_html(const PageColumn& column, const PageCell& cell, bool with_name) {
  const std::string value = cell.value ? fmt::format("{}", *cell.value) : "";
  const std::string style = cell.bar ? fmt::format("--w:{:.1f}%", 100 * std::clamp(*cell.bar, 0.0, 1.0)) : "";
  return tag("td",
             {{"class", classes_of(column, cell)},
              {"data-v", value},
              {"data-name", with_name ? column.name : ""},
              {"style", style}},
             cell.content);
}

// Characters of the markup's text; bytes, where they are not ASCII.
std::size_t length_of(const std::string& markup) {
  std::size_t length = 0;
  bool is_tag = false;
  for (const char sign : markup) {
    if (sign == '<') is_tag = true;
    if (!is_tag) ++length;
    if (sign == '>') is_tag = false;
  }
  return length;
}

// Of a column of names: room for the longest one, with a dot and a star, as far as others can spare it.
std::string style_of(const PageTable& table, std::size_t column) {
  constexpr std::size_t kBeside = 6;
  const std::size_t room = table.columns[column].room;
  if (room == 0) return "";
  std::size_t longest = 0;
  for (const auto& row : table.rows) longest = std::max(longest, length_of(row[column].content));
  const std::size_t wanted = longest + kBeside;
  if (!table.columns[column].is_narrow) return fmt::format("min-width:{}ch", std::min(wanted, room));
  // On a wide screen there is room for more than that.
  return wanted <= room ? fmt::format("width:1%;min-width:{}ch", wanted)
                        : fmt::format("width:1%;min-width:max({}ch,min({}ch,22vw))", room, wanted);
}

// Whether some row says something in the column.
bool says_something(const PageTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].content != "-"; });
}

}  // namespace

std::string to_html(const PageTable& table, const std::string& caption) {
  if (table.rows.empty()) return "";
  std::vector<bool> is_shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) is_shown.push_back(says_something(table, i));
  std::string head;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const PageColumn& column = table.columns[i];
    if (!is_shown[i]) continue;
    head += tag("th", {{"scope", "col"}, {"class", classes_of(column)}, {"style", style_of(table, i)}},
                util::escape_xml(column.name));
  }
  std::string body;
  for (const auto& row : table.rows) {
    body += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (is_shown[i]) body += to_html(table.columns[i], row[i], table.is_cards_on_phones);
    }
    body += "\n";
  }
  const std::string content =
      text_tag("caption", caption) + "<thead><tr>" + head + "</thead><tbody>" + body + "</tbody>";
  return table_box(
      table.rows.size(),
      tag("table", {{"class", table.is_cards_on_phones ? "sortable cards named" : "sortable"}}, content));
}

PageCell plain(const std::string& text) { return {breakable(present::printable(text))}; }

PageCell number(const std::string& text, double value) {
  return {util::escape_xml(present::printable(text)), value};
}

std::string link_to(const std::string& id, const std::string& text) {
  const std::string escaped = breakable(present::printable(text));
  return id.empty() ? escaped : tag("a", {{"href", "#" + id}}, escaped);
}

std::string named_dot(std::size_t colour, const std::string& content) {
  const std::string name =
      colour < chart::kColours ? fmt::format("--chart-s{}", colour) : std::string("--chart-other");
  return tag("span", {{"class", "who"}},
             tag("i", {{"class", "dot"}, {"style", "color:var(" + name + ")"}}, "") + content);
}

}  // namespace fib::visual
