#include "report/summary_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/rank_cell.h"
#include "report/speedup_text.h"
#include "report/text.h"

namespace fib::report {
namespace {

namespace json = model::json;

Cell best_solutions_cell(const dataset::Score& score) {
  json::Value object = json::make_object();
  if (score.best_solutions) {
    for (const auto& [definition, solution] : *score.best_solutions) {
      object.add(definition, json::make_string(solution));
    }
  }
  return {"", std::move(object)};
}

Cell coverage_cell(const AuthorRanking& ranking, const std::string& author) {
  const auto found = ranking.coverage.find(author);
  return found == ranking.coverage.end() ? no_cell()
                                         : number_cell(found->second, format_share(found->second));
}

Cell runs_cell(std::size_t runs, std::size_t count) { return runs > 0 ? count_cell(count) : no_cell(); }

struct RankedAuthor {
  std::size_t rank = 0;
};

std::vector<RankedAuthor> ranks_of(const AuthorRanking& ranking) {
  std::vector<dataset::RangedSpeedup> speedups;
  for (const auto& [author, score] : ranking.rows) speedups.push_back({score.avg_speedup, score.avg_range});
  std::vector<RankedAuthor> ranked;
  for (const std::size_t rank : dataset::ranks_of(speedups)) ranked.push_back({rank});
  return ranked;
}

std::vector<Cell> standing_row(const Leaderboard& board, const std::string& title, const Standing& standing) {
  const auto ranged = range_cells(standing.speedup_range);
  return {{title, json::make_string(board.definition)},
          rank_cell(board.standings, standing.rank),
          text_cell(standing.solution),
          optional_text(standing.author),
          speedup_cell(standing.speedup, standing.speedup_range, format_score),
          text_cell(name_of(board.against)),
          optional_number(standing.latency_ms, format_ms),
          optional_number(standing.interval, format_interval),
          {fmt::format("{}/{}", standing.passed, standing.workloads), json::make_null()},
          count_cell(standing.passed),
          count_cell(standing.workloads),
          runs_cell(standing.runs.runs, standing.runs.runs),
          runs_cell(standing.runs.runs, standing.runs.passed),
          ranged.front(),
          ranged.back()};
}

Cell statuses_cell(const Counts& counts) { return {failures_text(counts), counts_json(counts.by_status)}; }

}  // namespace

std::string name_of(Against against) { return against == Against::baseline ? "baseline" : "reference"; }

std::string failures_text(const Counts& counts) {
  std::string text;
  for (const auto& [status, count] : counts.by_status) {
    if (status == "PASSED") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  }
  return text;
}

json::Value counts_json(const std::map<std::string, std::size_t>& counts) {
  json::Value object = json::make_object();
  for (const auto& [name, count] : counts) object.add(name, count_cell(count).value);
  return object;
}

std::vector<Column> score_columns() {
  std::vector<Column> columns = {
      number_column("Arith Mean", "avg_speedup"), spare(number_column("Geo Mean", "geomean_speedup")),
      spare(number_column("Success Rate", "success_rate")), spare(number_column("Win Rate", "win_rate"))};
  append(columns, range_columns("avg_speedup"));
  return columns;
}

std::vector<Cell> score_cells(const dataset::Score& score) {
  std::vector<Cell> cells = {speedup_cell(score.avg_speedup, score.avg_range, format_score),
                             speedup_cell(score.geomean_speedup, score.geomean_range, format_score),
                             number_cell(score.success_rate, format_share(score.success_rate)),
                             number_cell(score.win_rate, format_share(score.win_rate))};
  append(cells, range_cells(score.avg_range));
  return cells;
}

Table authors_table(const AuthorRanking& ranking) {
  Table table;
  table.columns = {number_column("Rank", "rank"), name_column("Author", "author")};
  append(table.columns, score_columns());
  append(table.columns,
         {spare(number_column("Coverage", "coverage")), spare(number_column("Workloads", "workloads")),
          spare(number_column("Definitions", "definitions")),
          only_for(Audience::programs, text_column("Best Solutions", "best_solutions"))});
  const auto ranks = ranks_of(ranking);
  for (const auto& [author, score] : ranking.rows) {
    std::vector<Cell> row{rank_cell(ranks, ranks[table.rows.size()].rank), text_cell(author)};
    append(row, score_cells(score));
    append(row, {coverage_cell(ranking, author), count_cell(static_cast<std::size_t>(score.workloads)),
                 count_cell(static_cast<std::size_t>(score.definitions)), best_solutions_cell(score)});
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

Table solutions_table(const HardwareSummary& summary) {
  const Column interval = spare(number_column("Rerun within", "interval"));
  Table table;
  table.grouped = true;
  table.columns = {text_column("Definition", "definition"),
                   number_column("Rank", "rank"),
                   name_column("Solution", "solution"),
                   spare(name_column("Author", "author")),
                   number_column("Speedup", "speedup"),
                   only_for(Audience::programs, text_column("Against", "against")),
                   number_column("Latency (ms)", "latency_ms"),
                   has_intervals(summary) ? interval : only_for(Audience::programs, interval),
                   only_for(Audience::people, number_column("Passed", "")),
                   only_for(Audience::programs, number_column("Passed", "passed")),
                   only_for(Audience::programs, number_column("Workloads", "workloads")),
                   only_for(Audience::programs, number_column("Runs", "runs")),
                   only_for(Audience::programs, number_column("Passed Runs", "passed_runs"))};
  append(table.columns, range_columns("speedup"));
  for (const Leaderboard& board : summary.leaderboards) {
    const std::string suffix = board.against == summary.authors.against
                                   ? ""
                                   : fmt::format(" (against the {})", name_of(board.against));
    for (const Standing& standing : board.standings)
      table.rows.push_back(standing_row(board, board.definition + suffix, standing));
  }
  return table;
}

Table counts_table(const std::string& name, const std::string& key,
                   const std::map<std::string, Counts>& counts) {
  Table table;
  table.columns = {text_column(name, key), number_column("Traces", "total"),
                   number_column("Passed", "passed"), number_column("Failed", "failed"),
                   text_column("Failures", "by_status")};
  for (const auto& [what, count] : counts) {
    table.rows.push_back({text_cell(what), count_cell(count.total), count_cell(count.passed),
                          count_cell(count.failed()), statuses_cell(count)});
  }
  return table;
}

}  // namespace fib::report
