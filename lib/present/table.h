#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/json_value.h"

// Tables as values, and their renderings. All functions are pure.
namespace fib::present {

enum class Align { left, right };

// What happens to a column when the table is wider than the terminal.
enum class Fit {
  whole,     // it keeps its width: numbers
  text,      // cells are cut, the widest column first
  name,      // the same, but cells are cut in their middle
  identity,  // cells are cut before all others: long ids, of which the beginning says enough
};

enum class Audience {
  everyone,
  people,    // text and Markdown only
  programs,  // csv and json only
};

struct Column {
  std::string name;  // for people: "Arith mean"
  std::string key;   // for programs: "avg_speedup"
  Align align = Align::left;
  Fit fit = Fit::text;
  Audience audience = Audience::everyone;
  // A terminal that is too narrow for all goes without it, the highest first; 0: never.
  std::size_t spare = 0;
};

[[nodiscard]] Column text_column(std::string name, std::string key);
[[nodiscard]] Column name_column(std::string name, std::string key);
[[nodiscard]] Column identity_column(std::string name, std::string key);
[[nodiscard]] Column number_column(std::string name, std::string key);
// The same column, which narrow terminals go without: of those of the highest order the last goes first.
[[nodiscard]] Column spare(Column column, std::size_t order = 1);
// The same column for a part of the readers.
[[nodiscard]] Column only_for(Audience audience, Column column);

// How a cell is coloured where colours may be written.
enum class Tone { plain, good, bad, doubtful };

struct Cell {
  std::string text;          // for people
  model::json::Value value;  // for programs
  Tone tone = Tone::plain;
};

[[nodiscard]] Cell text_cell(std::string text);
[[nodiscard]] Cell count_cell(std::size_t count);
[[nodiscard]] Cell number_cell(double value, std::string text);
[[nodiscard]] Cell no_cell();  // "-", null
// The same where there may be none: then no_cell().
[[nodiscard]] Cell optional_text(const std::optional<std::string>& text);
[[nodiscard]] Cell optional_number(const std::optional<double>& number, std::string (*format)(double));

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // as many cells as there are columns
  // On a terminal the first column stands in lines of its own, above the rows that share it.
  bool grouped = false;
};

struct TextStyle {
  std::size_t width = 0;  // columns of the terminal; 0: no limit
  bool bold = false;      // escape codes for bold text and colours may be written
};

// Header, rule, rows, each with a newline, without spaces before it; "" when there are no rows. Fits the
// width: by cutting text, else by leaving out columns that are spare, which a last line names, else with
// every cell in a line of its own, beside its name.
[[nodiscard]] std::string to_text(const Table& table, const TextStyle& style);

// A GitHub table; text is escaped. Empty when the table has no rows.
[[nodiscard]] std::string to_markdown(const Table& table);

// Keys, then rows, with LF line ends; RFC 4180 quoting; numbers exact, null is an empty field.
[[nodiscard]] std::string to_csv(const Table& table);

// An array with one object a row, by key.
[[nodiscard]] model::json::Value to_json(const Table& table);

// The table with one more column in front that holds `cell` in every row.
[[nodiscard]] Table with_leading(Table table, const Column& column, const Cell& cell);

// Appends the rows of `more`, which has the same columns; a table without columns takes those of `more`.
void append(Table& table, const Table& more);

// The same for parts of a row or of its columns.
void append(std::vector<Column>& columns, const std::vector<Column>& more);
void append(std::vector<Cell>& row, const std::vector<Cell>& more);

// `text` on one line with all that GitHub's Markdown would interpret within a line escaped: links, images,
// HTML and its entities, math, cells of tables.
[[nodiscard]] std::string escape_markdown(std::string_view text);

}  // namespace fib::present
