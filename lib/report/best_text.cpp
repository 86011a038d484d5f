#include "report/best_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "present/text.h"
#include "report/datasets.h"
#include "report/speedup_text.h"
#include "report/workload_text.h"
#include "util/shell_word.h"

namespace fib::report {
namespace {

namespace json = model::json;

std::vector<present::Column> columns() {
  return {present::text_column("Definition", "definition"),
          present::name_column("Solution", "solution"),
          present::spare(present::name_column("Author", "author")),
          present::number_column("Speedup vs. ref", "speedup_factor"),
          present::number_column("Latency (ms)", "latency_ms"),
          present::spare(present::number_column("Max abs", "max_absolute_error")),
          present::spare(present::number_column("Max rel", "max_relative_error")),
          present::text_column("Workload", "workload"),
          present::only_for(present::Audience::programs, present::text_column("Axes", "axes")),
          present::only_for(present::Audience::programs, present::text_column("Ties", "ties")),
          range_columns("speedup")[0],
          range_columns("speedup")[1]};
}

// Of a trace; 0: the reference was not timed.
present::Cell speedup_of(const std::optional<dataset::RowPerformance>& performance) {
  if (!performance || !(performance->speedup_factor > 0)) return present::no_cell();
  return speedup_cell(performance->speedup_factor, performance->speedup_range, times_text);
}

// Of definitions, by the results that stand.
std::vector<present::Column> winner_columns(bool with_interval) {
  const present::Column interval = present::spare(present::number_column("Rerun within", "interval"));
  return {present::text_column("Definition", "definition"),
          present::name_column("Solution", "solution"),
          present::spare(present::name_column("Author", "author")),
          present::number_column("Speedup vs. ref", "speedup_factor"),
          present::number_column("Latency (ms)", "latency_ms"),
          with_interval ? interval : present::only_for(present::Audience::programs, interval),
          present::number_column("Lead", "lead"),
          present::spare(present::number_column("Max abs", "max_absolute_error")),
          present::spare(present::number_column("Max rel", "max_relative_error")),
          present::spare(present::number_column("Workloads", "workloads")),
          present::only_for(present::Audience::programs, present::text_column("Second", "second")),
          present::only_for(present::Audience::programs, present::text_column("Ties", "ties")),
          range_columns("speedup")[0],
          range_columns("speedup")[1]};
}

present::Cell names_cell(const std::vector<std::string>& names) {
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

present::Cell lead_cell(const Winner& winner) {
  if (!winner.lead) return present::no_cell();
  return present::number_cell(
      *winner.lead, winner.ties.empty() ? lead_text(*winner.lead, interval_of(winner.result)) : "tie");
}

std::vector<present::Cell> winner_row(const Best& best) {
  const auto& winner = *best.winner;
  const auto ranged = range_cells(winner.speedup_range);
  const auto optional_error = [](const std::optional<double>& error) {
    return error ? present::number_cell(*error, present::format_error(*error)) : present::no_cell();
  };
  return {present::text_cell(best.definition),
          present::text_cell(winner.result.solution),
          best.author ? present::text_cell(*best.author) : present::no_cell(),
          speedup_cell(winner.speedup, winner.speedup_range, times_text),
          present::number_cell(*winner.result.latency_ms, present::format_ms(*winner.result.latency_ms)),
          present::optional_number(interval_of(winner.result), present::format_interval),
          lead_cell(winner),
          optional_error(winner.max_absolute_error),
          optional_error(winner.max_relative_error),
          present::count_cell(winner.result.workloads),
          present::optional_text(winner.second),
          names_cell(winner.ties),
          ranged.front(),
          ranged.back()};
}

std::vector<present::Cell> row(const Best& best, std::size_t width) {
  if (best.winner) return winner_row(best);
  if (best.trace == nullptr) {
    std::vector<present::Cell> cells{present::text_cell(best.definition)};
    while (cells.size() < width) cells.push_back(present::no_cell());
    return cells;
  }
  const auto& evaluation = *best.trace->evaluation;
  const auto& performance = evaluation.performance;
  const auto& correctness = evaluation.correctness;
  const auto ranged = range_cells(performance ? performance->speedup_range : std::nullopt);
  const auto error_cell = [&](double dataset::RowCorrectness::*error) {
    return correctness
               ? present::number_cell((*correctness).*error, present::format_error((*correctness).*error))
               : present::no_cell();
  };
  return {present::text_cell(best.definition),
          present::text_cell(*best.trace->solution),
          best.author ? present::text_cell(*best.author) : present::no_cell(),
          speedup_of(performance),
          performance
              ? present::number_cell(performance->latency_ms, present::format_ms(performance->latency_ms))
              : present::no_cell(),
          error_cell(&dataset::RowCorrectness::max_absolute_error),
          error_cell(&dataset::RowCorrectness::max_relative_error),
          {workload_text(*best.trace->workload), json::make_string(best.trace->workload->uuid)},
          axes_cell(*best.trace->workload),
          names_cell(best.ties),
          ranged.front(),
          ranged.back()};
}

enum class Rows { found, all };

present::Table table_of(const std::vector<Best>& all, BestForm form, Rows rows) {
  present::Table table{form == BestForm::winners ? winner_columns(has_interval(all)) : columns(), {}, true};
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

void add_ties(std::vector<std::string>& notes, const std::string& what, const std::string& winner,
              const std::vector<std::string>& ties) {
  if (ties.empty()) return;
  notes.push_back(fmt::format("{}: {} cannot be told apart from {} (their intervals overlap).", what, winner,
                              fmt::join(ties, ", ")));
}

void write_hardware(present::Document& document, const HardwareBest& hardware, BestForm form) {
  document.table("Best solutions on " + hardware.hardware + ":", table_of(hardware.best, form, Rows::found));
  std::vector<std::string> notes;
  for (const Best& best : hardware.best) {
    if (best.is_found()) continue;
    notes.push_back(fmt::format("No valid solution found for {} on {}{}.", best.definition, hardware.hardware,
                                best.reason.empty() ? "" : ": " + best.reason));
  }
  for (const Best& best : hardware.best) {
    if (best.winner) add_ties(notes, best.definition, best.winner->result.solution, best.winner->ties);
    if (best.trace == nullptr) continue;
    add_ties(notes, fmt::format("{} on {}", best.definition, workload_text(*best.trace->workload)),
             *best.trace->solution, best.ties);
  }
  if (has_untimed(hardware.best)) {
    notes.emplace_back(form == BestForm::fastest
                           ? "Speedup -: the reference was not timed; the lowest latency is the best"
                           : "Speedup -: the reference was not timed");
  }
  if (form == BestForm::winners) {
    notes.emplace_back(
        "Best: the lowest geometric mean of latencies, of solutions that passed every workload");
    notes.emplace_back(
        "Lead: how many times as long the next solution that passed everything took, or by how much where it "
        "is near; tie: they cannot be told apart; -: no other did");
    if (has_interval(hardware.best))
      notes.emplace_back(
          "Rerun within: where another run's latency lies, in 95 of 100 cases, while the machine is as "
          "quiet");
  }
  document.notes(notes);
}

void write_dataset(present::Document& document, const DatasetBest& dataset) {
  if (!dataset.has_traces) {
    document.paragraph(fmt::format("No traces in {}. To get some: fib run --local {}", dataset.path,
                                   util::shell_word(dataset.path)));
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
  object.add("hardware", list_of(dataset.hardware, [&](const HardwareBest& hardware) {
               json::Value one = json::make_object();
               one.add("name", json::make_string(hardware.hardware));
               one.add("best", to_json(table_of(hardware.best, dataset.form, Rows::all)));
               return one;
             }));
  json::Value untried = json::make_array();
  for (const std::string& name : dataset.untried) untried.items.push_back(json::make_string(name));
  object.add("untried", std::move(untried));
  return object;
}

}  // namespace

std::string render_best(const std::vector<DatasetBest>& datasets, present::Format format,
                        const present::TextStyle& style) {
  const BestForm form = datasets.empty() ? BestForm::winners : datasets.front().form;
  const auto csv_of = [form](const HardwareBest& hardware) {
    return table_of(hardware.best, form, Rows::all);
  };
  const Writing<DatasetBest> writing{
      "best", [&] { return by_hardware(datasets, csv_of); },
      [](const DatasetBest& dataset) { return to_json(dataset); },
      [](present::Document& document, const DatasetBest& dataset) { write_dataset(document, dataset); }};
  return render(datasets, writing, format, style);
}

}  // namespace fib::report
