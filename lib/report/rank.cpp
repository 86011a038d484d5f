#include "report/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "report/rank_cell.h"
#include "report/summary_tables.h"
#include "report/text.h"

namespace fib::report {
namespace {

namespace json = model::json;

double value_of(const RankRow& row, RankBy by) {
  switch (by) {
    case RankBy::avg_speedup:
      return row.score.avg_speedup;
    case RankBy::geomean_speedup:
      return row.score.geomean_speedup;
    case RankBy::win_rate:
      return row.score.win_rate;
    case RankBy::success_rate:
      return row.score.success_rate;
    case RankBy::coverage:
      return row.coverage;
    case RankBy::fast_1:
      break;
  }
  return row.fast_1;
}

// Of what is no speedup there is none.
std::optional<dataset::SpeedupRange> range_of(const RankRow& row, RankBy by) {
  if (by == RankBy::avg_speedup) return row.score.avg_range;
  return by == RankBy::geomean_speedup ? row.score.geomean_range : std::nullopt;
}

const char* name_of(RankBy by) {
  static constexpr const char* kNames[] = {"avg-speedup",  "geomean-speedup", "win-rate",
                                           "success-rate", "coverage",        "fast-1"};
  return kNames[static_cast<int>(by)];
}

Table table_of(const HardwareRanks& ranks, std::size_t top) {
  Table table;
  table.columns = {number_column("Rank", "rank"), name_column("Author", "author")};
  append(table.columns, score_columns());
  append(table.columns,
         {spare(number_column("Coverage", "coverage")), spare(number_column("fast_1", "fast_1")),
          spare(number_column("Definitions", "definitions"))});
  for (const RankRow& ranked : ranks.rows) {
    if (top > 0 && table.rows.size() == top) break;
    std::vector<Cell> row{rank_cell(ranks.rows, ranked.rank), text_cell(ranked.author)};
    append(row, score_cells(ranked.score));
    append(row, {number_cell(ranked.coverage, format_share(ranked.coverage)),
                 number_cell(ranked.fast_1, format_share(ranked.fast_1)),
                 count_cell(static_cast<std::size_t>(ranked.score.definitions))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_dataset(Document& document, const DatasetRanks& dataset, RankBy by, std::size_t top) {
  if (dataset.hardware.empty()) {
    document.paragraph(fmt::format("No traces in {} that pass the filters. To get some: fib run --local {}",
                                   dataset.path, dataset.path));
  }
  for (const HardwareRanks& ranks : dataset.hardware) {
    document.subheading("Hardware: " + ranks.hardware,
                        fmt::format("Authors by {}, against the {}", name_of(by), name_of(ranks.against)));
    if (!ranks.reason.empty()) document.paragraph(ranks.reason + "; speedups are against the reference.");
    document.table("", table_of(ranks, top));
    if (ranks.rows.empty()) document.paragraph("Nobody can be ranked: no speedup is known.");
  }
  write(document, dataset.remarks);
}

json::Value to_json(const DatasetRanks& dataset, RankBy by, std::size_t top) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(dataset.path));
  add_to(object, dataset.remarks);
  object.add("by", json::make_string(name_of(by)));
  json::Value list = json::make_array();
  for (const HardwareRanks& ranks : dataset.hardware) {
    json::Value one = json::make_object();
    one.add("name", json::make_string(ranks.hardware));
    one.add("against", json::make_string(name_of(ranks.against)));
    one.add("reason", ranks.reason.empty() ? json::make_null() : json::make_string(ranks.reason));
    one.add("authors", report::to_json(table_of(ranks, top)));
    list.items.push_back(std::move(one));
  }
  object.add("hardware", std::move(list));
  return object;
}

std::string csv(const std::vector<DatasetRanks>& datasets, std::size_t top) {
  const auto placed = [&](const HardwareRanks& ranks, const std::string& path) {
    Table table = with_leading(table_of(ranks, top), text_column("Against", "against"),
                               text_cell(name_of(ranks.against)));
    table = with_leading(std::move(table), text_column("Hardware", "hardware"), text_cell(ranks.hardware));
    return with_leading(std::move(table), text_column("Dataset", "dataset"), text_cell(path));
  };
  Table all = placed({}, "");
  for (const DatasetRanks& dataset : datasets) {
    for (const HardwareRanks& ranks : dataset.hardware) append(all, placed(ranks, dataset.path));
  }
  return to_csv(all);
}

}  // namespace

std::vector<RankRow> rank_rows(const AuthorRanking& ranking, const ProblemResults& results, RankBy by) {
  std::vector<RankRow> rows;
  for (const auto& [author, score] : ranking.rows) {
    const auto solved = results.authors.find(author);
    const Solved own = solved == results.authors.end() ? Solved{} : solved->second;
    rows.push_back({author, score, fast_p(own, results.problems, 0), fast_p(own, results.problems, 1)});
  }
  const auto key = [&](const RankRow& row) {
    return std::tuple(-value_of(row, by), -row.score.avg_speedup, row.author);
  };
  std::sort(rows.begin(), rows.end(),
            [&](const RankRow& left, const RankRow& right) { return key(left) < key(right); });
  std::vector<dataset::RangedSpeedup> values;
  for (const RankRow& row : rows) values.push_back({value_of(row, by), range_of(row, by)});
  const auto ranks = dataset::ranks_of(values);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].rank = ranks[i];
  return rows;
}

std::string render_ranks(const std::vector<DatasetRanks>& datasets, RankBy by, std::size_t top, Format format,
                         const TextStyle& style) {
  if (format == Format::csv) return csv(datasets, top);
  if (format == Format::json) {
    std::vector<json::Value> values;
    for (const DatasetRanks& dataset : datasets) values.push_back(to_json(dataset, by, top));
    return json_document("rank", std::move(values));
  }
  Document document(format, style);
  bool ranked = false;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets.size() > 1) document.heading(fmt::format("Dataset {}: {}", i + 1, datasets[i].path));
    write_dataset(document, datasets[i], by, top);
    for (const HardwareRanks& ranks : datasets[i].hardware) ranked = ranked || !ranks.rows.empty();
  }
  if (ranked) {
    document.notes(
        {"Arith Mean, Geo Mean: of speedups over workloads, then definitions, of each the author's best "
         "solution",
         "Coverage: share of all workloads solved; fast_1: solved and faster than the yardstick"});
  }
  return document.text();
}

}  // namespace fib::report
