#include "report/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "present/text.h"
#include "report/datasets.h"
#include "report/rank_cell.h"
#include "report/summary_tables.h"
#include "util/shell_word.h"

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

present::Table table_of(const HardwareRanks& ranks, std::size_t top) {
  present::Table table;
  table.columns = {present::number_column("Rank", "rank"), present::name_column("Author", "author")};
  append(table.columns, score_columns());
  append(table.columns, {present::spare(present::number_column("Coverage", "coverage")),
                         present::spare(present::number_column("fast_1", "fast_1")),
                         present::spare(present::number_column("Definitions", "definitions"))});
  const RankCells cells(ranks.rows);
  for (const RankRow& ranked : ranks.rows) {
    if (top > 0 && table.rows.size() == top) break;
    std::vector<present::Cell> row{cells.of(ranked.rank), present::text_cell(ranked.author)};
    append(row, score_cells(ranked.score));
    append(row, {present::number_cell(ranked.coverage, present::format_share(ranked.coverage)),
                 present::number_cell(ranked.fast_1, present::format_share(ranked.fast_1)),
                 present::count_cell(static_cast<std::size_t>(ranked.score.definitions))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_dataset(present::Document& document, const DatasetRanks& dataset, RankBy by, std::size_t top) {
  if (dataset.hardware.empty()) {
    document.paragraph(fmt::format("No traces in {} that pass the filters. To get some: fib run --local {}",
                                   dataset.path, util::shell_word(dataset.path)));
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
  object.add("hardware", list_of(dataset.hardware, [&](const HardwareRanks& ranks) {
               json::Value one = json::make_object();
               one.add("name", json::make_string(ranks.hardware));
               one.add("against", json::make_string(name_of(ranks.against)));
               one.add("reason", ranks.reason.empty() ? json::make_null() : json::make_string(ranks.reason));
               one.add("authors", present::to_json(table_of(ranks, top)));
               return one;
             }));
  return object;
}

std::vector<std::string> footnotes(const std::vector<DatasetRanks>& datasets) {
  bool ranked = false;
  for (const DatasetRanks& dataset : datasets) {
    for (const HardwareRanks& ranks : dataset.hardware) ranked = ranked || !ranks.rows.empty();
  }
  if (!ranked) return {};
  return {
      "Arith mean, Geo mean: of speedups over workloads, then definitions, of each the author's best "
      "solution",
      "Coverage: share of all workloads solved; fast_1: solved and faster than the yardstick"};
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
  for (const RankRow& row : rows)
    values.push_back({value_of(row, by), range_of(row, by), row.score.avg_speedup > 0});
  const auto ranks = dataset::ranks_of(values);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].rank = ranks[i];
  return rows;
}

std::string render_ranks(const std::vector<DatasetRanks>& datasets, RankBy by, std::size_t top,
                         present::Format format, const present::TextStyle& style) {
  const auto csv_of = [&](const HardwareRanks& ranks) {
    return present::with_leading(table_of(ranks, top), present::text_column("Against", "against"),
                                 present::text_cell(name_of(ranks.against)));
  };
  const Writing<DatasetRanks> writing{"rank", [&] { return by_hardware(datasets, csv_of); },
                                      [&](const DatasetRanks& dataset) { return to_json(dataset, by, top); },
                                      [&](present::Document& document, const DatasetRanks& dataset) {
                                        write_dataset(document, dataset, by, top);
                                      },
                                      [&] { return footnotes(datasets); }};
  return render(datasets, writing, format, style);
}

}  // namespace fib::report
