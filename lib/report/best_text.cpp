#include "report/best_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/speedup_text.h"
#include "report/text.h"
#include "report/workload_text.h"

namespace fib::report {
namespace {

namespace json = model::json;

std::vector<Column> columns() {
  return {text_column("Definition", "definition"),
          name_column("Solution", "solution"),
          spare(name_column("Author", "author")),
          number_column("Speedup vs. ref", "speedup_factor"),
          number_column("Latency (ms)", "latency_ms"),
          spare(number_column("Max abs", "max_absolute_error")),
          spare(number_column("Max rel", "max_relative_error")),
          text_column("Workload", "workload"),
          only_for(Audience::programs, text_column("Axes", "axes")),
          range_columns("speedup")[0],
          range_columns("speedup")[1]};
}

// Of a trace; 0: the reference was not timed.
Cell speedup_of(const std::optional<dataset::RowPerformance>& performance) {
  if (!performance || !(performance->speedup_factor > 0)) return no_cell();
  return speedup_cell(performance->speedup_factor, performance->speedup_range, times_text);
}

// Of definitions, by the results that stand.
std::vector<Column> winner_columns(bool with_interval) {
  const Column interval = spare(number_column("Rerun within", "interval"));
  return {text_column("Definition", "definition"),
          name_column("Solution", "solution"),
          spare(name_column("Author", "author")),
          number_column("Speedup vs. ref", "speedup_factor"),
          number_column("Latency (ms)", "latency_ms"),
          with_interval ? interval : only_for(Audience::programs, interval),
          spare(number_column("Max abs", "max_absolute_error")),
          spare(number_column("Max rel", "max_relative_error")),
          spare(number_column("Workloads", "workloads")),
          only_for(Audience::programs, text_column("Ties", "ties")),
          range_columns("speedup")[0],
          range_columns("speedup")[1]};
}

Cell names_cell(const std::vector<std::string>& names) {
  json::Value list = json::make_array();
  for (const std::string& name : names) list.items.push_back(json::make_string(name));
  return {names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", ")), std::move(list)};
}

// Within which share of the latency another run's lies; nothing where no interval is known.
std::optional<double> interval_of(const dataset::RankedSolution& result) {
  if (!result.high_ms || !(*result.high_ms > *result.latency_ms)) return std::nullopt;
  return *result.high_ms / *result.latency_ms - 1;
}

bool has_interval(const std::vector<Best>& all) {
  return std::any_of(all.begin(), all.end(), [](const Best& best) {
    return best.winner && interval_of(best.winner->result).has_value();
  });
}

std::vector<Cell> winner_row(const Best& best) {
  const auto& winner = *best.winner;
  const auto ranged = range_cells(winner.speedup_range);
  const auto optional_error = [](const std::optional<double>& error) {
    return error ? number_cell(*error, format_error(*error)) : no_cell();
  };
  return {text_cell(best.definition),
          text_cell(winner.result.solution),
          best.author ? text_cell(*best.author) : no_cell(),
          speedup_cell(winner.speedup, winner.speedup_range, times_text),
          number_cell(*winner.result.latency_ms, format_ms(*winner.result.latency_ms)),
          optional_number(interval_of(winner.result), format_interval),
          optional_error(winner.max_absolute_error),
          optional_error(winner.max_relative_error),
          count_cell(winner.result.workloads),
          names_cell(winner.ties),
          ranged.front(),
          ranged.back()};
}

std::vector<Cell> row(const Best& best, std::size_t width) {
  if (best.winner) return winner_row(best);
  if (best.trace == nullptr) {
    std::vector<Cell> cells{text_cell(best.definition)};
    while (cells.size() < width) cells.push_back(no_cell());
    return cells;
  }
  const auto& evaluation = *best.trace->evaluation;
  const auto& performance = evaluation.performance;
  const auto& correctness = evaluation.correctness;
  const auto ranged = range_cells(performance ? performance->speedup_range : std::nullopt);
  const auto error_cell = [&](double dataset::RowCorrectness::*error) {
    return correctness ? number_cell((*correctness).*error, format_error((*correctness).*error)) : no_cell();
  };
  return {text_cell(best.definition),
          text_cell(*best.trace->solution),
          best.author ? text_cell(*best.author) : no_cell(),
          speedup_of(performance),
          performance ? number_cell(performance->latency_ms, format_ms(performance->latency_ms)) : no_cell(),
          error_cell(&dataset::RowCorrectness::max_absolute_error),
          error_cell(&dataset::RowCorrectness::max_relative_error),
          {workload_text(*best.trace->workload), json::make_string(best.trace->workload->uuid)},
          axes_cell(*best.trace->workload),
          ranged.front(),
          ranged.back()};
}

enum class Rows { found, all };

Table table_of(const std::vector<Best>& all, BestForm form, Rows rows) {
  Table table{form == BestForm::winners ? winner_columns(has_interval(all)) : columns(), {}, true};
  for (const Best& best : all) {
    if (rows == Rows::all || best.is_found()) table.rows.push_back(row(best, table.columns.size()));
  }
  return table;
}

bool has_untimed(const std::vector<Best>& all) {
  for (const Best& best : all) {
    if (best.winner && !best.winner->speedup) return true;
    if (best.trace == nullptr) continue;
    const auto& performance = best.trace->evaluation->performance;
    if (!performance || performance->speedup_factor <= 0) return true;
  }
  return false;
}

void write_hardware(Document& document, const HardwareBest& hardware, BestForm form) {
  document.table("Best solutions on " + hardware.hardware + ":", table_of(hardware.best, form, Rows::found));
  std::vector<std::string> notes;
  for (const Best& best : hardware.best) {
    if (best.is_found()) continue;
    notes.push_back(fmt::format("No valid solution found for {} on {}{}.", best.definition, hardware.hardware,
                                best.reason.empty() ? "" : ": " + best.reason));
  }
  for (const Best& best : hardware.best) {
    if (!best.winner || best.winner->ties.empty()) continue;
    notes.push_back(fmt::format("{}: {} cannot be told apart from {} (their intervals overlap).",
                                best.definition, best.winner->result.solution,
                                fmt::join(best.winner->ties, ", ")));
  }
  if (has_untimed(hardware.best)) {
    notes.emplace_back(form == BestForm::fastest
                           ? "Speedup -: the reference was not timed; the lowest latency is the best"
                           : "Speedup -: the reference was not timed");
  }
  if (form == BestForm::winners) {
    notes.emplace_back(
        "Best: the lowest geometric mean of latencies, of solutions that passed every workload");
    if (has_interval(hardware.best))
      notes.emplace_back("Rerun within: where another run's latency lies, in 95 of 100 cases");
  }
  document.notes(notes);
}

void write_dataset(Document& document, const DatasetBest& dataset) {
  if (!dataset.has_traces) {
    document.paragraph(
        fmt::format("No traces in {}. To get some: fib run --local {}", dataset.path, dataset.path));
    return;
  }
  for (const HardwareBest& hardware : dataset.hardware) write_hardware(document, hardware, dataset.form);
  std::vector<std::string> untried;
  const bool nothing_matches = dataset.hardware.empty();
  for (const std::string& definition : nothing_matches ? std::vector<std::string>() : dataset.untried) {
    untried.push_back(fmt::format("No valid solution found for {}: it has no results here.", definition));
  }
  document.notes(untried);
  if (nothing_matches) {
    document.paragraph(fmt::format("No results in {} that count and match the filters.", dataset.path));
  }
  write(document, dataset.remarks);
}

json::Value to_json(const DatasetBest& dataset) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(dataset.path));
  add_to(object, dataset.remarks);
  json::Value list = json::make_array();
  for (const HardwareBest& hardware : dataset.hardware) {
    json::Value one = json::make_object();
    one.add("name", json::make_string(hardware.hardware));
    one.add("best", to_json(table_of(hardware.best, dataset.form, Rows::all)));
    list.items.push_back(std::move(one));
  }
  object.add("hardware", std::move(list));
  json::Value untried = json::make_array();
  for (const std::string& name : dataset.untried) untried.items.push_back(json::make_string(name));
  object.add("untried", std::move(untried));
  return object;
}

std::string csv(const std::vector<DatasetBest>& datasets) {
  const BestForm form = datasets.empty() ? BestForm::winners : datasets.front().form;
  const auto placed = [form](const HardwareBest& hardware, const std::string& path) {
    Table table = with_leading(table_of(hardware.best, form, Rows::all), text_column("Hardware", "hardware"),
                               text_cell(hardware.hardware));
    return with_leading(std::move(table), text_column("Dataset", "dataset"), text_cell(path));
  };
  Table all = placed({}, "");
  for (const DatasetBest& dataset : datasets) {
    for (const HardwareBest& hardware : dataset.hardware) append(all, placed(hardware, dataset.path));
  }
  return to_csv(all);
}

}  // namespace

std::string render_best(const std::vector<DatasetBest>& datasets, Format format, const TextStyle& style) {
  if (format == Format::csv) return csv(datasets);
  if (format == Format::json) {
    std::vector<json::Value> values;
    for (const DatasetBest& dataset : datasets) values.push_back(to_json(dataset));
    return json_document("best", std::move(values));
  }
  Document document(format, style);
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets.size() > 1) document.heading(fmt::format("Dataset {}: {}", i + 1, datasets[i].path));
    write_dataset(document, datasets[i]);
  }
  return document.text();
}

}  // namespace fib::report
