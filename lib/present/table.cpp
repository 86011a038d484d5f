#include "present/table.h"

#include <cctype>
#include <utility>

#include "present/text.h"

namespace fib::present {
namespace {

namespace json = model::json;

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_text(const json::Value& value) {
  switch (value.kind) {
    case json::Kind::null:
      return "";
    case json::Kind::string:
    case json::Kind::number:
      return value.text;
    default:
      return json::dump(value, json::Form::compact, json::NonFinite::strings);
  }
}

std::string csv_line(const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i) line += (i > 0 ? "," : "") + csv_field(texts[i]);
  return line + '\n';
}

}  // namespace

Column text_column(std::string name, std::string key) { return {std::move(name), std::move(key)}; }

Column name_column(std::string name, std::string key) {
  return {std::move(name), std::move(key), Align::left, Fit::name};
}

Column identity_column(std::string name, std::string key) {
  return {std::move(name), std::move(key), Align::left, Fit::identity};
}

Column number_column(std::string name, std::string key) {
  return {std::move(name), std::move(key), Align::right, Fit::whole};
}

Column spare(Column column, std::size_t order) {
  column.spare = order;
  return column;
}

Column only_for(Audience audience, Column column) {
  column.audience = audience;
  return column;
}

Cell text_cell(std::string text) {
  json::Value value = json::make_string(text);
  return {std::move(text), std::move(value)};
}

Cell count_cell(std::size_t count) {
  return {std::to_string(count), json::make_integer(static_cast<std::int64_t>(count))};
}

Cell number_cell(double value, std::string text) { return {std::move(text), json::make_number(value)}; }

Cell no_cell() { return {"-", json::make_null()}; }

Cell optional_text(const std::optional<std::string>& text) { return text ? text_cell(*text) : no_cell(); }

Cell optional_number(const std::optional<double>& number, std::string (*format)(double)) {
  return number ? number_cell(*number, format(*number)) : no_cell();
}

std::string to_markdown(const Table& table) {
  if (table.rows.empty()) return "";
  std::string header = "|";
  std::string rule = "|";
  for (const Column& column : table.columns) {
    if (column.audience == Audience::programs) continue;
    header += " " + escape_markdown(column.name) + " |";
    rule += column.align == Align::right ? " ---: |" : " --- |";
  }
  std::string result = header + "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    result += "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].audience != Audience::programs)
        result += " " + escape_markdown(row[i].text) + " |";
    }
    result += "\n";
  }
  return result;
}

std::string to_csv(const Table& table) {
  std::vector<std::string> texts;
  for (const Column& column : table.columns) {
    if (column.audience != Audience::people) texts.push_back(column.key);
  }
  std::string result = csv_line(texts);
  for (const auto& row : table.rows) {
    texts.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].audience != Audience::people) texts.push_back(csv_text(row[i].value));
    }
    result += csv_line(texts);
  }
  return result;
}

json::Value to_json(const Table& table) {
  json::Value array = json::make_array();
  for (const auto& row : table.rows) {
    json::Value object = json::make_object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].audience != Audience::people) object.add(table.columns[i].key, row[i].value);
    }
    array.items.push_back(std::move(object));
  }
  return array;
}

Table with_leading(Table table, const Column& column, const Cell& cell) {
  table.columns.insert(table.columns.begin(), column);
  for (auto& row : table.rows) row.insert(row.begin(), cell);
  return table;
}

void append(Table& table, const Table& more) {
  if (table.columns.empty()) table.columns = more.columns;
  table.rows.insert(table.rows.end(), more.rows.begin(), more.rows.end());
}

void append(std::vector<Column>& columns, const std::vector<Column>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
}

void append(std::vector<Cell>& row, const std::vector<Cell>& more) {
  row.insert(row.end(), more.begin(), more.end());
}

// A bracket begins a link only where one ends that stands before one of "([:".
std::string escape_markdown(std::string_view text) {
  constexpr std::string_view kMarkup = R"(\`*<>#|~&$)";
  const std::string line = printable(text);
  const auto is_word = [&](std::size_t i) {
    return i < line.size() && std::isalnum(static_cast<unsigned char>(line[i])) != 0;
  };
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    // An underscore within a word marks up nothing.
    const bool emphasis = line[i] == '_' && !(i > 0 && is_word(i - 1) && is_word(i + 1));
    const bool link = line[i] == ']' && i + 1 < line.size() &&
                      std::string_view("([:").find(line[i + 1]) != std::string_view::npos;
    if (emphasis || link || kMarkup.find(line[i]) != std::string_view::npos) result += '\\';
    result += line[i];
  }
  return result;
}

}  // namespace fib::present
