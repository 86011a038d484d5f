#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/json_value.h"
#include "present/table.h"

namespace fib::present {

// In which form a report is written.
enum class Format { table, json, csv, md };

// What begins a paragraph or a list's item in Markdown: escape_markdown(text), which begins no list, task,
// rule or block of code instead. Pure.
[[nodiscard]] std::string markdown_block(std::string_view text);

// A page for people: blocks with blank lines between, as text for a terminal or as Markdown. Format json and
// csv are not for people and give text. One thread at a time.
class Document {
 public:
  Document(Format format, const TextStyle& style) : markdown_(format == Format::md), style_(style) {}

  void heading(std::string_view text);                               // of a dataset
  void subheading(std::string_view text, std::string_view details);  // of a part of it; one line each
  void paragraph(std::string_view text);
  void notes(const std::vector<std::string>& lines);  // short lines below a table
  // "Name: value", one line each; those with an empty value are left out.
  void facts(const std::vector<std::pair<std::string, std::string>>& facts);
  void verbatim(const std::string& text);  // a block that needs nothing done; ends with a newline
  void table(const std::string& title,
             const Table& table);  // nothing when it has no rows; the title may be empty

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void block(const std::string& text);  // ends with a newline
  [[nodiscard]] std::string beside(const std::string& value, std::size_t indent) const;
  [[nodiscard]] std::string bold(const std::string& text) const;

  bool markdown_;
  TextStyle style_;
  std::string text_;
};

// {"schema_version": 1, "report": <name>, "datasets": [...]} as indented text with a final newline; numbers
// that are not finite become strings.
[[nodiscard]] std::string json_document(const std::string& name, std::vector<model::json::Value> datasets);

}  // namespace fib::present
