#include "report/overview.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "report/text.h"

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
  for (const auto& [name, workloads] : dataset.workloads) {
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

std::vector<Cell> row(Cell name, const Held& held) {
  return {std::move(name),
          count_cell(held.definitions),
          count_cell(held.solutions),
          count_cell(held.workloads),
          count_cell(held.traces),
          count_cell(held.results),
          count_cell(held.passed)};
}

}  // namespace

Table op_types_table(const Dataset& dataset, const dataset::Filter& filters,
                     const dataset::StandingResults& standing) {
  Table table;
  table.columns = {text_column("Op type", "op_type"),       number_column("Definitions", "definitions"),
                   number_column("Solutions", "solutions"), number_column("Workloads", "workloads"),
                   number_column("Traces", "traces"),       number_column("Results", "results"),
                   number_column("Passed", "passed")};
  const auto held = count(dataset, filters, standing);
  for (const auto& [op_type, one] : held)
    table.rows.push_back(row(op_type ? text_cell(*op_type) : no_cell(), one));
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
  return fmt::format("{}, {}, {}, {}", plural(total.definitions, "definition"),
                     plural(total.solutions, "solution"), plural(total.workloads, "workload"),
                     plural(total.traces, "trace")) +
         (total.traces > 0 ? fmt::format(", {} ({} passed)", plural(total.results, "result"), total.passed)
                           : "");
}

Table authors_table(const Dataset& dataset, const dataset::Filter& filters,
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
  Table table;
  table.columns = {text_column("Author", "author"),         number_column("Definitions", "definitions"),
                   number_column("Solutions", "solutions"), number_column("Traces", "traces"),
                   number_column("Results", "results"),     number_column("Passed", "passed")};
  for (const auto& [author, work] : authors) {
    table.rows.push_back({text_cell(author), count_cell(work.definitions.size()), count_cell(work.solutions),
                          count_cell(work.traces), count_cell(work.results), count_cell(work.passed)});
  }
  return table;
}

}  // namespace fib::report
