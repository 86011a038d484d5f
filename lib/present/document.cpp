#include "present/document.h"

#include <algorithm>
#include <utility>

#include "present/text.h"

namespace fib::present {

namespace json = model::json;

std::string markdown_block(std::string_view text) {
  std::string escaped = escape_markdown(text);
  escaped.erase(0, std::min(escaped.find_first_not_of(' '), escaped.size()));
  const std::size_t mark = std::min(escaped.find_first_not_of("0123456789"), escaped.size());
  const auto is_at = [&](std::size_t i, std::string_view these) {
    return i < escaped.size() && these.find(escaped[i]) != std::string_view::npos;
  };
  const bool is_item =
      is_at(mark, mark == 0 ? "-+" : ".)") && (mark + 1 == escaped.size() || is_at(mark + 1, " -"));
  return is_item || is_at(0, "[") ? escaped.insert(mark, "\\") : escaped;
}

void Document::heading(std::string_view text) {
  block(markdown_ ? "## " + escape_markdown(text) + "\n" : bold(printable(text)));
}

void Document::subheading(std::string_view text, std::string_view details) {
  if (markdown_) {
    block("### " + escape_markdown(text) + "\n\n" + markdown_block(details) + "\n");
  } else {
    block(bold(printable(text)) + wrap(printable(details), style_.width, 2) + "\n");
  }
}

void Document::paragraph(std::string_view text) {
  block((markdown_ ? markdown_block(text) : wrap(printable(text), style_.width)) + "\n");
}

void Document::notes(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += markdown_ ? "- " + markdown_block(line) + "\n" : wrap(printable(line), style_.width, 2) + "\n";
  }
  if (!text.empty()) block(text);
}

void Document::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, value.empty() ? 0 : name.size() + 2);
  std::string text;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    if (markdown_) {
      text += "- **" + escape_markdown(name) + "**: " + escape_markdown(value) + "\n";
    } else {
      text += name + ":" + std::string(width - name.size() - 1, ' ') + beside(value, width) + "\n";
    }
  }
  if (!text.empty()) block(text);
}

// The value of a fact as text; what does not fit beside its name goes on below its beginning.
std::string Document::beside(const std::string& value, std::size_t indent) const {
  const std::string lines = wrap(printable(value), style_.width > indent ? style_.width - indent : 0);
  std::string text;
  for (const char c : lines) text += c == '\n' ? '\n' + std::string(indent, ' ') : std::string(1, c);
  return text;
}

void Document::verbatim(const std::string& text) { block(text); }

void Document::table(const std::string& title, const Table& table) {
  if (table.rows.empty()) return;
  if (markdown_) {
    block((title.empty() ? "" : "**" + escape_markdown(title) + "**\n\n") + to_markdown(table));
  } else {
    block((title.empty() ? "" : wrap(printable(title), style_.width) + "\n") + to_text(table, style_));
  }
}

void Document::block(const std::string& text) {
  if (!text_.empty()) text_ += "\n";
  text_ += text;
}

std::string Document::bold(const std::string& text) const {
  return style_.bold ? "\x1b[1m" + text + "\x1b[0m\n" : text + "\n";
}

std::string json_document(const std::string& name, std::vector<json::Value> datasets) {
  json::Value document = json::make_object();
  document.add("schema_version", json::make_integer(1));
  document.add("report", json::make_string(name));
  json::Value array = json::make_array();
  array.items = std::move(datasets);
  document.add("datasets", std::move(array));
  return json::dump(document, json::Form::indented, json::NonFinite::strings) + "\n";
}

}  // namespace fib::present
