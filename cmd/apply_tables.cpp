#include "apply_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "present/text.h"

namespace fib::cmd {

using present::Cell;
using present::Table;
using present::text_cell;

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
  auto axes = present::text_column("Axes", "axes");
  axes.fit = present::Fit::whole;
  table.columns = {
      present::name_column("Definition", "definition"),
      axes,
      present::only_for(
          has_several_hardware(cases) ? present::Audience::everyone : present::Audience::programs,
          present::text_column("Hardware", "hardware")),
      present::name_column("Solution", "solution"),
      present::only_for(present::Audience::programs, present::text_column("Language", "language")),
      present::number_column("Latency (ms)", "latency_ms"),
      present::number_column("vs. reference", "speedup"),
      present::name_column("Next best", "second"),
      present::number_column("Latency (ms)", "second_latency_ms")};
  for (const auto& [definition, winner] : cases) {
    const auto solution = dataset.solutions.find(winner->solution);
    const auto& second = winner->second;
    table.rows.push_back({text_cell(*definition), axes_cell(winner->axes), text_cell(winner->hardware),
                          text_cell(winner->solution),
                          solution == dataset.solutions.end()
                              ? present::no_cell()
                              : text_cell(solution->second.spec.language_text),
                          present::number_cell(winner->latency_ms, present::format_ms(winner->latency_ms)),
                          present::number_cell(winner->speedup, fmt::format("{:.2f}x", winner->speedup)),
                          second ? text_cell(second->first) : present::no_cell(),
                          second ? present::number_cell(second->second, present::format_ms(second->second))
                                 : present::no_cell()});
  }
  return table;
}

Table checked_table(const std::vector<Checked>& checked) {
  Table table;
  table.grouped = true;
  table.columns = {
      present::name_column("Definition", "definition"), present::name_column("Solution", "solution"),
      present::text_column("Hardware", "hardware"),     present::number_column("Cases", "cases"),
      present::text_column("Called", "called"),         present::text_column("Accepted", "trusted")};
  for (const auto& row : checked) {
    Cell called = text_cell(row.called.empty() ? "no: " + row.problem : row.called);
    called.tone = row.called.empty() ? present::Tone::bad : present::Tone::plain;
    table.rows.push_back({text_cell(row.definition), text_cell(row.solution), text_cell(row.hardware),
                          present::count_cell(row.cases), std::move(called),
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
                    : fmt::format("{} {} not count: {}", present::plural(total, "result"),
                                  total == 1 ? "does" : "do", reasons);
}

}  // namespace fib::cmd
