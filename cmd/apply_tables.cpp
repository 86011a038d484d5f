#include "apply_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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

namespace {

bool has_several_hardware(const std::vector<ChosenCase>& cases) {
  return std::any_of(cases.begin(), cases.end(), [&](const ChosenCase& other) {
    return other.winner->hardware != cases.front().winner->hardware;
  });
}

Cell axes_cell(const apply::AxisPairs& axes) {
  Cell cell = text_cell(axes_text(axes));
  cell.value = model::json::make_object();
  for (const auto& [name, value] : axes) cell.value.add(name, model::json::make_integer(value));
  return cell;
}

}  // namespace

std::string axes_text(const apply::AxisPairs& axes) {
  std::string text;
  for (const auto& [name, value] : axes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "-" : text;
}

Table cases_table(std::vector<ChosenCase> cases, const dataset::Dataset& dataset) {
  std::stable_sort(cases.begin(), cases.end(), [](const ChosenCase& a, const ChosenCase& b) {
    return std::tie(*a.definition, a.winner->hardware, a.winner->axes) <
           std::tie(*b.definition, b.winner->hardware, b.winner->axes);
  });
  Table table;
  table.grouped = true;
  auto axes = report::text_column("Axes", "axes");
  axes.fit = report::Fit::whole;
  table.columns = {
      report::name_column("Definition", "definition"),
      axes,
      report::only_for(has_several_hardware(cases) ? report::Audience::everyone : report::Audience::programs,
                       report::text_column("Hardware", "hardware")),
      report::name_column("Solution", "solution"),
      report::only_for(report::Audience::programs, report::text_column("Language", "language")),
      report::number_column("Latency (ms)", "latency_ms"),
      report::number_column("vs. reference", "speedup"),
      report::name_column("Next best", "second"),
      report::number_column("Latency (ms)", "second_latency_ms")};
  for (const auto& [definition, winner] : cases) {
    const auto solution = dataset.solutions.find(winner->solution);
    const auto& second = winner->second;
    table.rows.push_back({text_cell(*definition), axes_cell(winner->axes), text_cell(winner->hardware),
                          text_cell(winner->solution),
                          solution == dataset.solutions.end()
                              ? report::no_cell()
                              : text_cell(solution->second.spec.language_text),
                          report::number_cell(winner->latency_ms, report::format_ms(winner->latency_ms)),
                          report::number_cell(winner->speedup, fmt::format("{:.2f}x", winner->speedup)),
                          second ? text_cell(second->first) : report::no_cell(),
                          second ? report::number_cell(second->second, report::format_ms(second->second))
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
