#include "report/fast_p_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "present/text.h"
#include "report/datasets.h"
#include "report/summary_tables.h"
#include "util/shell_word.h"

namespace fib::report {
namespace {

namespace json = model::json;

present::Table table_of(const ProblemResults& results, const std::vector<double>& thresholds) {
  present::Table table;
  table.columns = {present::text_column("Author", "author"), present::number_column("Solved", "solved")};
  for (const double p : thresholds)
    table.columns.push_back(present::number_column(fmt::format("p={:g}", p), fmt::format("fast_{:g}", p)));
  for (const std::string& author : authors_by_fast_1(results)) {
    const Solved& solved = results.authors.at(author);
    std::vector<present::Cell> row{present::text_cell(author), present::count_cell(solved.size())};
    for (const double p : thresholds) {
      const double share = fast_p(solved, results.problems, p);
      row.push_back(present::number_cell(share, present::format_share(share)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A row for each author and threshold: a form that any plotting program takes.
present::Table long_table(const ProblemResults& results, const std::vector<double>& thresholds) {
  present::Table table;
  table.columns = {present::text_column("Against", "against"), present::number_column("Problems", "problems"),
                   present::text_column("Author", "author"), present::number_column("p", "p"),
                   present::number_column("fast_p", "fast_p")};
  for (const std::string& author : authors_by_fast_1(results)) {
    for (const double p : thresholds) {
      const double share = fast_p(results.authors.at(author), results.problems, p);
      table.rows.push_back({present::text_cell(name_of(results.against)),
                            present::count_cell(results.problems), present::text_cell(author),
                            present::number_cell(p, ""), present::number_cell(share, "")});
    }
  }
  return table;
}

void write_dataset(present::Document& document, const DatasetFastP& dataset,
                   const std::vector<double>& thresholds) {
  if (dataset.hardware.empty()) {
    document.paragraph(fmt::format("No traces in {} that pass the filters. To get some: fib run --local {}",
                                   dataset.path, util::shell_word(dataset.path)));
  }
  for (const ProblemResults& results : dataset.hardware) {
    document.subheading("Hardware: " + results.hardware,
                        fmt::format("Share of {} solved and faster than p times the {}",
                                    present::plural(results.problems, "problem"), name_of(results.against)));
    document.table("", table_of(results, thresholds));
    if (results.authors.empty()) document.paragraph("No author but the baseline's has a trace.");
  }
  write(document, dataset.remarks);
}

json::Value curve_json(const Solved& solved, std::size_t problems) {
  json::Value curve = json::make_array();
  for (const auto& [p, share] : fast_p_curve(solved, problems)) {
    json::Value point = json::make_array();
    point.items = {json::make_number(p), json::make_number(share)};
    curve.items.push_back(std::move(point));
  }
  return curve;
}

json::Value to_json(const ProblemResults& results, const std::vector<double>& thresholds) {
  json::Value object = json::make_object();
  object.add("name", json::make_string(results.hardware));
  object.add("against", json::make_string(name_of(results.against)));
  object.add("problems", present::count_cell(results.problems).value);
  json::Value authors = present::to_json(table_of(results, thresholds));
  for (json::Value& author : authors.items)
    author.add("curve", curve_json(results.authors.at(author.find("author")->text), results.problems));
  object.add("authors", std::move(authors));
  return object;
}

json::Value to_json(const DatasetFastP& dataset, const std::vector<double>& thresholds) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(dataset.path));
  add_to(object, dataset.remarks);
  object.add("hardware", list_of(dataset.hardware, [&](const ProblemResults& results) {
               return to_json(results, thresholds);
             }));
  return object;
}

}  // namespace

const std::vector<double>& usual_thresholds() {
  static const std::vector<double> thresholds{0, 0.5, 0.8, 1, 1.5, 2, 3, 5, 10};
  return thresholds;
}

std::vector<std::string> authors_by_fast_1(const ProblemResults& results) {
  std::vector<std::string> names;
  for (const auto& [author, solved] : results.authors) names.push_back(author);
  std::stable_sort(names.begin(), names.end(), [&](const std::string& left, const std::string& right) {
    return fast_p(results.authors.at(left), results.problems, 1) >
           fast_p(results.authors.at(right), results.problems, 1);
  });
  return names;
}

std::string render_fast_p(const std::vector<DatasetFastP>& datasets, const std::vector<double>& thresholds,
                          present::Format format, const present::TextStyle& style) {
  const Writing<DatasetFastP> writing{
      "fast_p",
      [&] {
        return by_hardware(datasets,
                           [&](const ProblemResults& results) { return long_table(results, thresholds); });
      },
      [&](const DatasetFastP& dataset) { return to_json(dataset, thresholds); },
      [&](present::Document& document, const DatasetFastP& dataset) {
        write_dataset(document, dataset, thresholds);
      }};
  return render(datasets, writing, format, style);
}

}  // namespace fib::report
