#include "report/overview.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "present/text.h"

namespace fib::report {
namespace {

using dataset::Dataset;

struct Held {
  std::size_t definitions = 0;
  std::size_t solutions = 0;
  std::size_t workloads = 0;
  std::size_t traces = 0;
  std::size_t results = 0;  // that stand
  std::size_t passed = 0;   // of these
};

using OpType = std::optional<std::string>;  // nothing: of an unknown definition

std::map<OpType, Held> count(const Dataset& dataset, const dataset::Filter& filters,
                             const dataset::StandingResults& standing) {
  const auto op_type_of = [&](const std::string& name) -> OpType {
    const auto found = dataset.definitions.find(name);
    if (found == dataset.definitions.end()) return std::nullopt;
    return found->second.op_type;
  };
  std::map<OpType, Held> held;
  for (const auto& [name, definition] : dataset.definitions) {
    if (filters.holds_definition(dataset, name)) ++held[definition.op_type].definitions;
  }
  for (const auto& [name, solution] : dataset.solutions) {
    if (filters.holds_solution(dataset, solution)) ++held[op_type_of(solution.definition)].solutions;
  }
  for (const auto& [definition, workloads] : dataset.workloads) {
    const std::string& name = definition;  // Clang 14 captures no part of a binding
    const auto count = std::count_if(workloads.begin(), workloads.end(), [&](const auto& workload) {
      return filters.holds_workload(dataset, name, workload);
    });
    if (count > 0) held[op_type_of(name)].workloads += static_cast<std::size_t>(count);
  }
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (!filters.holds_trace(dataset, trace)) continue;
    Held& one = held[op_type_of(*trace.definition)];
    ++one.traces;
    if (!standing.holds(trace)) continue;
    ++one.results;
    if (trace.passed()) ++one.passed;
  }
  return held;
}

std::vector<present::Cell> row(present::Cell name, const Held& held) {
  return {std::move(name),
          present::count_cell(held.definitions),
          present::count_cell(held.solutions),
          present::count_cell(held.workloads),
          present::count_cell(held.traces),
          present::count_cell(held.results),
          present::count_cell(held.passed)};
}

}  // namespace

present::Table op_types_table(const Dataset& dataset, const dataset::Filter& filters,
                              const dataset::StandingResults& standing) {
  present::Table table;
  table.columns = {
      present::text_column("Op type", "op_type"),       present::number_column("Definitions", "definitions"),
      present::number_column("Solutions", "solutions"), present::number_column("Workloads", "workloads"),
      present::number_column("Traces", "traces"),       present::number_column("Results", "results"),
      present::number_column("Passed", "passed")};
  const auto held = count(dataset, filters, standing);
  for (const auto& [op_type, one] : held)
    table.rows.push_back(row(op_type ? present::text_cell(*op_type) : present::no_cell(), one));
  return table;
}

std::string totals_text(const Dataset& dataset, const dataset::Filter& filters,
                        const dataset::StandingResults& standing) {
  Held total;
  for (const auto& [op_type, one] : count(dataset, filters, standing)) {
    total.definitions += one.definitions;
    total.solutions += one.solutions;
    total.workloads += one.workloads;
    total.traces += one.traces;
    total.results += one.results;
    total.passed += one.passed;
  }
  return fmt::format("{}, {}, {}, {}", present::plural(total.definitions, "definition"),
                     present::plural(total.solutions, "solution"),
                     present::plural(total.workloads, "workload"), present::plural(total.traces, "trace")) +
         (total.traces > 0
              ? fmt::format(", {} ({} passed)", present::plural(total.results, "result"), total.passed)
              : "");
}

present::Table authors_table(const Dataset& dataset, const dataset::Filter& filters,
                             const dataset::StandingResults& standing) {
  struct Work {
    std::set<std::string> definitions;
    std::size_t solutions = 0;
    std::size_t traces = 0;
    std::size_t results = 0;
    std::size_t passed = 0;
  };
  std::map<std::string, Work> authors;
  for (const auto& [name, solution] : dataset.solutions) {
    if (!filters.holds_solution(dataset, solution)) continue;
    ++authors[solution.author].solutions;
    authors[solution.author].definitions.insert(solution.definition);
  }
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (trace.solution == nullptr || !filters.holds_trace(dataset, trace)) continue;
    const auto solution = dataset.solutions.find(*trace.solution);
    if (solution == dataset.solutions.end()) continue;
    Work& work = authors[solution->second.author];
    ++work.traces;
    if (!standing.holds(trace)) continue;
    ++work.results;
    if (trace.passed()) ++work.passed;
  }
  present::Table table;
  table.columns = {
      present::text_column("Author", "author"),         present::number_column("Definitions", "definitions"),
      present::number_column("Solutions", "solutions"), present::number_column("Traces", "traces"),
      present::number_column("Results", "results"),     present::number_column("Passed", "passed")};
  for (const auto& [author, work] : authors) {
    table.rows.push_back({present::text_cell(author), present::count_cell(work.definitions.size()),
                          present::count_cell(work.solutions), present::count_cell(work.traces),
                          present::count_cell(work.results), present::count_cell(work.passed)});
  }
  return table;
}

}  // namespace fib::report
