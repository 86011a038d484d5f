#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/json_value.h"
#include "present/document.h"
#include "present/table.h"

// What reports over several datasets have in common, in every format. All functions are pure.
namespace fib::report {

// How a report is written; `Part` is what it says of one dataset, and has its `path`.
template <typename Part>
struct Writing {
  std::string name;  // of the JSON document
  std::function<present::Table()> csv;
  std::function<model::json::Value(const Part&)> json;
  std::function<void(present::Document&, const Part&)> text;
  std::function<std::vector<std::string>()> footnotes = nullptr;  // below all datasets; may be empty
};

// The whole report. Where there are several datasets, each has a heading.
template <typename Part>
[[nodiscard]] std::string render(const std::vector<Part>& parts, const Writing<Part>& writing,
                                 present::Format format, const present::TextStyle& style) {
  if (format == present::Format::csv) return present::to_csv(writing.csv());
  if (format == present::Format::json) {
    std::vector<model::json::Value> values;
    for (const Part& part : parts) values.push_back(writing.json(part));
    return present::json_document(writing.name, std::move(values));
  }
  present::Document document(format, style);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.size() > 1) document.heading(fmt::format("Dataset {}: {}", i + 1, parts[i].path));
    writing.text(document, parts[i]);
  }
  if (writing.footnotes) document.notes(writing.footnotes());
  return document.text();
}

// One table over everything: `table_of` each dataset's `hardware`, behind columns with the dataset's path and
// the hardware's name. It has its columns also when there are no rows.
template <typename Part, typename TableOf>
[[nodiscard]] present::Table by_hardware(const std::vector<Part>& parts, const TableOf& table_of) {
  const auto placed = [&](const auto& hardware, const std::string& path) {
    present::Table table =
        present::with_leading(table_of(hardware), present::text_column("Hardware", "hardware"),
                              present::text_cell(hardware.hardware));
    return present::with_leading(std::move(table), present::text_column("Dataset", "dataset"),
                                 present::text_cell(path));
  };
  using Hardware = typename decltype(Part::hardware)::value_type;
  present::Table all = placed(Hardware{}, "");
  for (const Part& part : parts) {
    for (const Hardware& hardware : part.hardware) append(all, placed(hardware, part.path));
  }
  return all;
}

// A list with what `json_of` makes of each.
template <typename Item, typename JsonOf>
[[nodiscard]] model::json::Value list_of(const std::vector<Item>& items, const JsonOf& json_of) {
  model::json::Value list = model::json::make_array();
  for (const Item& item : items) list.items.push_back(json_of(item));
  return list;
}

}  // namespace fib::report
