#include "report/summary_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "present/text.h"
#include "report/latency_cell.h"
#include "report/rank_cell.h"
#include "report/speedup_text.h"

namespace fib::report {
namespace {

namespace json = model::json;

present::Cell best_solutions_cell(const dataset::Score& score) {
  json::Value object = json::make_object();
  if (score.best_solutions) {
    for (const auto& [definition, solution] : *score.best_solutions) {
      object.add(definition, json::make_string(solution));
    }
  }
  return {"", std::move(object)};
}

present::Cell coverage_cell(const AuthorRanking& ranking, const std::string& author) {
  const auto found = ranking.coverage.find(author);
  return found == ranking.coverage.end()
             ? present::no_cell()
             : present::number_cell(found->second, present::format_share(found->second));
}

present::Cell runs_cell(std::size_t runs, std::size_t count) {
  return runs > 0 ? present::count_cell(count) : present::no_cell();
}

std::vector<std::optional<std::size_t>> ranks_of(const AuthorRanking& ranking) {
  std::vector<dataset::RangedSpeedup> speedups;
  for (const auto& [author, score] : ranking.rows)
    speedups.push_back({score.avg_speedup, score.avg_range, score.avg_speedup > 0});
  return dataset::ranks_of(speedups);
}

// Nothing was won where a workload failed; 0 is what the format's own rules say of it.
present::Cell standing_speedup(const Leaderboard& board, const Standing& standing) {
  auto cell = speedup_cell(standing.speedup, standing.speedup_range, present::format_score);
  if (!board.every_trace && standing.speedup == 0) cell.text = "-";
  return cell;
}

// A mean of zero would say nothing of the other definitions.
present::Cell geometric_cell(const dataset::Score& score) {
  auto cell = speedup_cell(score.geomean_speedup, score.geomean_range, present::format_score);
  if (score.geomean_speedup == 0) cell.text = "-";
  return cell;
}

std::vector<present::Cell> standing_row(const Leaderboard& board, const RankCells& ranks,
                                        const std::string& title, const Standing& standing) {
  const auto ranged = range_cells(standing.speedup_range);
  return {{title, json::make_string(board.definition)},
          ranks.of(standing.rank),
          present::text_cell(standing.solution),
          present::optional_text(standing.author),
          standing_speedup(board, standing),
          present::text_cell(name_of(board.against)),
          latency_cell(standing.latency_ms, standing.passed == standing.workloads),
          present::optional_number(standing.interval, present::format_interval),
          {fmt::format("{}/{}", standing.passed, standing.workloads), json::make_null()},
          present::count_cell(standing.passed),
          present::count_cell(standing.workloads),
          runs_cell(standing.runs.runs, standing.runs.runs),
          runs_cell(standing.runs.runs, standing.runs.passed),
          ranged.front(),
          ranged.back()};
}

present::Cell statuses_cell(const Counts& counts) {
  return {failures_text(counts), counts_json(counts.by_status)};
}

}  // namespace

std::string name_of(Against against) { return against == Against::baseline ? "baseline" : "reference"; }

std::string failures_text(const Counts& counts) { return failures_text(counts.by_status); }

std::string failures_text(const std::map<std::string, std::size_t>& by_status) {
  std::string text;
  for (const auto& [status, count] : by_status) {
    if (status == "PASSED") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  }
  return text;
}

json::Value counts_json(const std::map<std::string, std::size_t>& counts) {
  json::Value object = json::make_object();
  for (const auto& [name, count] : counts) object.add(name, present::count_cell(count).value);
  return object;
}

std::vector<present::Column> score_columns() {
  std::vector<present::Column> columns = {
      present::number_column("Arith mean", "avg_speedup"),
      present::spare(present::number_column("Geo mean", "geomean_speedup")),
      present::spare(present::number_column("Success rate", "success_rate")),
      present::spare(present::number_column("Win rate", "win_rate"))};
  append(columns, range_columns("avg_speedup"));
  return columns;
}

std::vector<present::Cell> score_cells(const dataset::Score& score) {
  std::vector<present::Cell> cells = {
      speedup_cell(score.avg_speedup, score.avg_range, present::format_score), geometric_cell(score),
      present::number_cell(score.success_rate, present::format_share(score.success_rate)),
      present::number_cell(score.win_rate, present::format_share(score.win_rate))};
  append(cells, range_cells(score.avg_range));
  return cells;
}

present::Table authors_table(const AuthorRanking& ranking) {
  present::Table table;
  table.columns = {present::number_column("Rank", "rank"), present::name_column("Author", "author")};
  append(table.columns, score_columns());
  append(table.columns, {present::spare(present::number_column("Coverage", "coverage")),
                         present::spare(present::number_column("Workloads", "workloads")),
                         present::spare(present::number_column("Definitions", "definitions")),
                         present::only_for(present::Audience::programs,
                                           present::text_column("Best Solutions", "best_solutions"))});
  const auto ranks = ranks_of(ranking);
  RankCells cells;
  for (const auto& rank : ranks) cells.add(rank);
  for (const auto& [author, score] : ranking.rows) {
    std::vector<present::Cell> row{cells.of(ranks[table.rows.size()]), present::text_cell(author)};
    append(row, score_cells(score));
    append(row,
           {coverage_cell(ranking, author), present::count_cell(static_cast<std::size_t>(score.workloads)),
            present::count_cell(static_cast<std::size_t>(score.definitions)), best_solutions_cell(score)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool has_intervals(const HardwareSummary& summary) {
  return std::any_of(summary.leaderboards.begin(), summary.leaderboards.end(), [](const Leaderboard& board) {
    return std::any_of(board.standings.begin(), board.standings.end(),
                       [](const Standing& standing) { return standing.interval.has_value(); });
  });
}

present::Table solutions_table(const HardwareSummary& summary) {
  const present::Column interval = present::spare(present::number_column("Rerun within", "interval"));
  present::Table table;
  table.grouped = true;
  table.columns = {
      present::text_column("Definition", "definition"),
      present::number_column("Rank", "rank"),
      present::name_column("Solution", "solution"),
      present::spare(present::name_column("Author", "author")),
      present::number_column("Speedup", "speedup"),
      present::only_for(present::Audience::programs, present::text_column("Against", "against")),
      present::number_column("Latency (ms)", "latency_ms"),
      has_intervals(summary) ? interval : present::only_for(present::Audience::programs, interval),
      present::only_for(present::Audience::people, present::number_column("Passed", "")),
      present::only_for(present::Audience::programs, present::number_column("Passed", "passed")),
      present::only_for(present::Audience::programs, present::number_column("Workloads", "workloads")),
      present::only_for(present::Audience::programs, present::number_column("Runs", "runs")),
      present::only_for(present::Audience::programs, present::number_column("Passed Runs", "passed_runs"))};
  append(table.columns, range_columns("speedup"));
  for (const Leaderboard& board : summary.leaderboards) {
    const std::string suffix = board.against == summary.authors.against
                                   ? ""
                                   : fmt::format(" (against the {})", name_of(board.against));
    const RankCells ranks(board.standings);
    for (const Standing& standing : board.standings)
      table.rows.push_back(standing_row(board, ranks, board.definition + suffix, standing));
  }
  return table;
}

present::Table counts_table(const std::string& name, const std::string& key,
                            const std::map<std::string, Counts>& counts) {
  present::Table table;
  table.columns = {present::text_column(name, key), present::number_column("Traces", "total"),
                   present::number_column("Passed", "passed"), present::number_column("Failed", "failed"),
                   present::text_column("Failures", "by_status")};
  for (const auto& [what, count] : counts) {
    table.rows.push_back({present::text_cell(what), present::count_cell(count.total),
                          present::count_cell(count.passed), present::count_cell(count.failed()),
                          statuses_cell(count)});
  }
  return table;
}

}  // namespace fib::report
