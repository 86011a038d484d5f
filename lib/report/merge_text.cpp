#include "report/merge_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "present/text.h"
#include "util/some_of.h"

namespace fib::report {
namespace {

namespace json = model::json;

constexpr std::size_t kBlobsNamed = 10;

// Workloads of two datasets may name the same.
std::vector<std::string> distinct(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

present::Table counts_table(const dataset::MergeReport& report) {
  present::Table table;
  table.columns = {present::text_column("Kind", "kind"), present::number_column("Read", "read"),
                   present::number_column("Twice", "duplicates"),
                   present::number_column("Left out", "left_out"),
                   present::number_column("Written", "written")};
  const auto add = [&](const char* kind, const dataset::MergeCount& count) {
    table.rows.push_back({present::text_cell(kind), present::count_cell(count.read),
                          present::count_cell(count.duplicates), present::count_cell(count.left_out),
                          present::count_cell(count.written)});
  };
  add("definitions", report.definitions);
  add("solutions", report.solutions);
  add("workloads", report.workloads);
  add("traces", report.traces);
  add("blobs", report.blobs);
  add("runs", report.runs);
  add("baselines", report.baselines);
  return table;
}

json::Value texts(const std::vector<std::string>& lines) {
  json::Value array = json::make_array();
  for (const auto& line : lines) array.items.push_back(json::make_string(line));
  return array;
}

std::string to_json_text(const dataset::MergeReport& report) {
  json::Value inputs = json::make_array();
  for (const auto& input : report.inputs) inputs.items.push_back(json::make_string(input.string()));
  json::Value object = json::make_object();
  object.add("schema_version", json::make_integer(1));
  object.add("report", json::make_string("merge"));
  object.add("inputs", std::move(inputs));
  object.add("output", json::make_string(report.output.string()));
  object.add("counts", to_json(counts_table(report)));
  object.add("conflicts", texts(report.conflicts));
  object.add("missing_blobs", texts(distinct(report.missing_blobs)));
  object.add("unreadable", texts(report.unreadable));
  return json::dump(object, json::Form::indented, json::NonFinite::strings) + "\n";
}

void write_list(present::Document& document, const std::string& title,
                const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  document.paragraph(title);
  document.notes(lines);
}

}  // namespace

std::string render_merge(const dataset::MergeReport& report, present::Format format,
                         const present::TextStyle& style) {
  if (format == present::Format::json) return to_json_text(report);
  if (format == present::Format::csv) return present::to_csv(counts_table(report));
  present::Document document(format, style);
  document.table(fmt::format("{} merged into {}:", present::plural(report.inputs.size(), "dataset"),
                             report.output.string()),
                 counts_table(report));
  write_list(document, "Conflicts:", report.conflicts);
  std::vector<std::string> blobs = distinct(report.missing_blobs);
  if (const std::size_t all = blobs.size(); all > kBlobsNamed) {
    blobs.resize(kBlobsNamed);
    blobs.push_back(util::and_more(all, kBlobsNamed));
  }
  write_list(document, "Blobs that no dataset has:", blobs);
  write_list(document, "Left out, because they cannot be read:", report.unreadable);
  return document.text();
}

}  // namespace fib::report
