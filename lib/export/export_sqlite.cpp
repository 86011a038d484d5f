#include <sqlite3.h>

#include <memory>
#include <stdexcept>

#include "dataset/queries.h"
#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "export/export.h"
#include "export/row.h"
#include "export/sqlite_schema.h"
#include "report/summary_tables.h"

namespace fib::exports {
namespace {

namespace json = model::json;

// An open database; errors name its file.
class Database {
 public:
  explicit Database(const std::string& file) : file_(file) {
    sqlite3* database = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int result = ::sqlite3_open_v2(file.c_str(), &database, flags, nullptr);
    handle_.reset(database);
    check(result);
  }

  void check(int result) const {
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
    const char* why = handle_ ? ::sqlite3_errmsg(handle_.get()) : ::sqlite3_errstr(result);
    throw Error("{}: SQLite says: {}", file_, why);
  }
  void execute(const char* statements) const {
    check(::sqlite3_exec(handle_.get(), statements, nullptr, nullptr, nullptr));
  }
  [[nodiscard]] sqlite3* get() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { ::sqlite3_close(database); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// "insert into <table> values (?, ...)", again and again.
class Inserter {
 public:
  Inserter(const Database& database, const std::string& table, std::size_t columns) : database_(database) {
    std::string places = "?";
    for (std::size_t i = 1; i < columns; ++i) places += ", ?";
    const std::string text = "insert into " + table + " values (" + places + ")";
    sqlite3_stmt* statement = nullptr;
    database.check(::sqlite3_prepare_v2(database.get(), text.c_str(), -1, &statement, nullptr));
    statement_.reset(statement);
  }

  void insert(const std::vector<json::Value>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) bind(static_cast<int>(i) + 1, values[i]);
    database_.check(::sqlite3_step(statement_.get()));
    database_.check(::sqlite3_reset(statement_.get()));
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
  };

  // Integers stay integers, other numbers are doubles; NaN, which SQLite cannot hold, is null.
  void bind(int place, const json::Value& value) const {
    if (value.kind == json::Kind::null) {
      database_.check(::sqlite3_bind_null(statement_.get(), place));
    } else if (value.kind == json::Kind::number) {
      const bool integer = value.text.find_first_not_of("-0123456789") == std::string::npos;
      database_.check(
          integer
              ? ::sqlite3_bind_int64(statement_.get(), place, std::strtoll(value.text.c_str(), nullptr, 10))
              : ::sqlite3_bind_double(statement_.get(), place, std::strtod(value.text.c_str(), nullptr)));
    } else {
      database_.check(::sqlite3_bind_text64(statement_.get(), place, value.text.data(), value.text.size(),
                                            SQLITE_TRANSIENT, SQLITE_UTF8));
    }
  }

  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

json::Value text(std::string value) { return json::make_string(std::move(value)); }
json::Value text_or_null(const model::NullableText& value) {
  return value && *value ? json::make_string(**value) : json::make_null();
}

void insert_definitions(const Database& database, const dataset::Dataset& dataset,
                        const dataset::Filter& filter) {
  const Inserter rows(database, "definitions", 4);
  for (const auto& [name, definition] : dataset.definitions) {
    if (!filter.holds_definition(dataset, name)) continue;
    rows.insert({text(name), text(definition.op_type), text_or_null(definition.description),
                 text(model::to_json(definition, json::Form::compact))});
  }
}

void insert_solutions(const Database& database, const dataset::Dataset& dataset,
                      const dataset::Filter& filter) {
  const Inserter rows(database, "solutions", 7);
  for (const auto& [name, solution] : dataset.solutions) {
    if (!filter.holds_solution(dataset, solution)) continue;
    rows.insert({text(name), text(solution.definition), text(solution.author),
                 text(solution.spec.language_text), text(solution.spec.entry_point),
                 text(model::content_sha256(solution)), text(model::to_json(solution, json::Form::compact))});
  }
}

void insert_workloads(const Database& database, const dataset::Dataset& dataset,
                      const dataset::Filter& filter) {
  const Inserter rows(database, "workloads", 3);
  const Inserter axes(database, "axes", 4);
  for (const auto& [definition, workloads] : dataset.workloads) {
    for (const auto& workload : workloads) {
      if (!filter.holds_workload(dataset, definition, workload)) continue;
      rows.insert({text(definition), text(workload.uuid), text(model::to_json(workload))});
      for (const auto& [axis, value] : workload.axes)
        axes.insert({text(definition), text(workload.uuid), text(axis), json::make_integer(value.value)});
    }
  }
}

std::size_t insert_traces(const Database& database, const dataset::Dataset& dataset,
                          const dataset::Filter& filter, std::vector<std::string>& unreadable,
                          const std::atomic<bool>* interrupted) {
  const RowContext context(dataset, filter, unreadable);
  const Inserter names(database, "baselines", 3);
  for (const auto& baseline : context.baselines)
    names.insert({text(baseline.name), text(baseline.run_id), text(baseline.set_utc)});
  const Inserter rows(database, "traces", row_columns().size() + 3);
  std::size_t count = 0;
  dataset::for_each_trace(
      dataset, filter, unreadable,
      [&](const model::Trace& trace) {
        std::vector<json::Value> values{json::make_integer(static_cast<std::int64_t>(++count))};
        for (auto& cell : row_of(dataset, trace, context)) values.push_back(std::move(cell.value));
        values.push_back(trace.evaluation ? text(trace.evaluation->log) : json::make_null());
        const bool own = trace.evaluation && !trace.evaluation->fib.is_null();
        values.push_back(own ? text(trace.evaluation->fib.dump()) : json::make_null());
        rows.insert(values);
      },
      interrupted);
  return count;
}

json::Value value_of(const present::Table& table, const std::vector<present::Cell>& row,
                     const std::string& key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return row[i].value;
  }
  throw std::logic_error("the summary has no column " + key);
}

// What `fib report summary` says: the rows of its tables, by the names of their columns.
void insert_rankings(const Database& database, const report::HardwareSummary& summary) {
  const std::vector<std::string> of_solutions{"definition", "rank",    "solution",    "author",
                                              "workloads",  "passed",  "latency_ms",  "interval",
                                              "against",    "speedup", "speedup_low", "speedup_high"};
  const std::vector<std::string> of_authors{"avg_speedup",     "avg_speedup_low", "avg_speedup_high",
                                            "geomean_speedup", "success_rate",    "win_rate",
                                            "coverage",        "workloads",       "definitions"};
  const Inserter solutions(database, "solution_ranking", 1 + of_solutions.size());
  const auto board = report::solutions_table(summary);
  for (const auto& row : board.rows) {
    std::vector<json::Value> values{text(summary.hardware)};
    for (const auto& key : of_solutions) values.push_back(value_of(board, row, key));
    solutions.insert(values);
  }
  const Inserter authors(database, "author_ranking", 4 + of_authors.size());
  const auto ranking = report::authors_table(summary.authors);
  for (const auto& row : ranking.rows) {
    std::vector<json::Value> values{text(summary.hardware), value_of(ranking, row, "rank"),
                                    value_of(ranking, row, "author"),
                                    text(report::name_of(summary.authors.against))};
    for (const auto& key : of_authors) values.push_back(value_of(ranking, row, key));
    authors.insert(values);
  }
}

// Of the results that stand, whatever their status: else a solution that failed would win where failures are
// left out.
void insert_rankings(const Database& database, const dataset::Dataset& catalog, dataset::Filter filter,
                     const std::atomic<bool>* interrupted) {
  dataset::Dataset dataset = catalog;
  dataset.traces = dataset::read_results(catalog);
  const dataset::StandingResults standing(dataset, dataset.traces, filter);
  dataset::keep_standing(dataset, standing);
  filter.statuses.clear();
  dataset::restrict_to(dataset, filter, dataset::kUsualBaselineAuthor);
  const dataset::Queries queries(dataset);
  report::Selection selection;
  selection.every_trace = false;
  for (const std::string& hardware : queries.hardware()) {
    if (interrupted != nullptr && *interrupted) throw Error("interrupted; nothing was written");
    selection.hardware = hardware;
    insert_rankings(database,
                    report::summarize(dataset, queries, selection, dataset::kUsualBaselineAuthor, &standing));
  }
}

}  // namespace

std::size_t export_sqlite(const dataset::Dataset& dataset, const dataset::Filter& filter,
                          const std::string& file, std::vector<std::string>& unreadable,
                          const std::atomic<bool>* interrupted) {
  const Database database(file);
  // One transaction; the file gets its final name only when all of it is there, so no journal is needed.
  database.execute("pragma journal_mode = off; pragma synchronous = off; begin");
  database.execute(kSqliteTables);
  insert_definitions(database, dataset, filter);
  insert_solutions(database, dataset, filter);
  insert_workloads(database, dataset, filter);
  const std::size_t count = insert_traces(database, dataset, filter, unreadable, interrupted);
  insert_rankings(database, dataset, filter, interrupted);
  database.execute(kSqliteIndexesAndViews);
  database.execute("commit");
  return count;
}

}  // namespace fib::exports
