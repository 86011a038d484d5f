#include "apply_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/text.h"

namespace fib::cmd {

using report::Cell;
using report::Table;
using report::text_cell;

std::vector<ChosenCase> chosen_on(const apply::Table& table, const std::vector<std::string>& hardware) {
  std::vector<ChosenCase> cases;
  for (const auto& [name, own] : table.definitions) {
    for (const auto& winner : own.winners) {
      if (std::find(hardware.begin(), hardware.end(), winner.hardware) != hardware.end())
        cases.push_back({&name, &winner});
    }
  }
  return cases;
}

std::string axes_text(const apply::AxisPairs& axes) {
  std::string text;
  for (const auto& [name, value] : axes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "-" : text;
}

Table cases_table(const std::vector<ChosenCase>& cases, const dataset::Dataset& dataset) {
  Table table;
  table.grouped = true;
  table.columns = {
      report::name_column("Definition", "definition"),       report::text_column("Axes", "axes"),
      report::text_column("Hardware", "hardware"),           report::name_column("Solution", "solution"),
      report::text_column("Language", "language"),           report::number_column("Speedup", "speedup"),
      report::number_column("Latency (ms)", "latency_ms"),   report::name_column("Next best", "second"),
      report::number_column("Its speedup", "second_speedup")};
  for (const auto& [definition, winner] : cases) {
    const auto solution = dataset.solutions.find(winner->solution);
    const auto& second = winner->second;
    table.rows.push_back({text_cell(*definition), text_cell(axes_text(winner->axes)),
                          text_cell(winner->hardware), text_cell(winner->solution),
                          solution == dataset.solutions.end()
                              ? report::no_cell()
                              : text_cell(solution->second.spec.language_text),
                          report::number_cell(winner->speedup, fmt::format("{:.2f}x", winner->speedup)),
                          report::number_cell(winner->latency_ms, report::format_ms(winner->latency_ms)),
                          second ? text_cell(second->first) : report::no_cell(),
                          second ? report::number_cell(second->second, fmt::format("{:.2f}x", second->second))
                                 : report::no_cell()});
  }
  return table;
}

Table checked_table(const std::vector<Checked>& checked) {
  Table table;
  table.grouped = true;
  table.columns = {
      report::name_column("Definition", "definition"), report::name_column("Solution", "solution"),
      report::text_column("Hardware", "hardware"),     report::number_column("Cases", "cases"),
      report::text_column("Called", "called"),         report::text_column("Accepted", "trusted")};
  for (const auto& row : checked) {
    Cell called = text_cell(row.called.empty() ? "no: " + row.problem : row.called);
    called.tone = row.called.empty() ? report::Tone::bad : report::Tone::plain;
    table.rows.push_back({text_cell(row.definition), text_cell(row.solution), text_cell(row.hardware),
                          report::count_cell(row.cases), std::move(called),
                          Cell{row.trusted ? "yes" : "no", model::json::make_boolean(row.trusted)}});
  }
  return table;
}

std::string left_out_text(const apply::Table& table) {
  std::size_t total = 0;
  std::string reasons;
  for (const auto& [reason, count] : table.left_out) {
    total += count;
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, reason);
  }
  return total == 0 ? ""
                    : fmt::format("{} {} not count: {}", report::plural(total, "result"),
                                  total == 1 ? "does" : "do", reasons);
}

}  // namespace fib::cmd
