#include "report/listing_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "present/text.h"
#include "report/workload_text.h"

namespace fib::report {
namespace {

namespace json = model::json;
using dataset::Dataset;

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + text;
  return result.empty() ? "-" : result;
}

present::Cell list_cell(const std::vector<std::string>& texts) {
  present::Cell cell{joined(texts), json::make_array()};
  for (const std::string& text : texts) cell.value.items.push_back(json::make_string(text));
  return cell;
}

struct Tries {
  std::size_t traces = 0;
  std::size_t results = 0;  // that stand
  std::size_t passed = 0;   // of these
};

std::string language_of(const model::Solution& solution) {
  return solution.spec.language_text.empty() ? std::string(model::name_of(solution.spec.language))
                                             : solution.spec.language_text;
}

// Where the inputs come from: "3 random, 2 safetensors".
present::Cell inputs_cell(const model::Workload& workload) {
  constexpr std::pair<model::InputKind, const char*> kKinds[] = {
      {model::InputKind::random, "random"},
      {model::InputKind::scalar, "scalar"},
      {model::InputKind::safetensors, "safetensors"},
      {model::InputKind::custom, "custom"}};
  present::Cell cell{"", json::make_object()};
  for (const auto& [kind, name] : kKinds) {
    const auto count =
        std::count_if(workload.inputs.begin(), workload.inputs.end(),
                      [wanted = kind](const auto& input) { return input.second.kind == wanted; });
    if (count == 0) continue;
    cell.text += fmt::format("{}{} {}", cell.text.empty() ? "" : ", ", count, name);
    cell.value.add(name, json::make_integer(count));
  }
  if (cell.text.empty()) return {"-", std::move(cell.value)};
  return cell;
}

const std::string& hardware_of(const dataset::TraceRow& trace) {
  static const std::string none;
  return trace.evaluation ? *trace.evaluation->hardware : none;
}

// People see the traces of one definition on one hardware together.
std::string group_of(const dataset::TraceRow& trace) {
  const std::string& hardware = hardware_of(trace);
  return hardware.empty() ? *trace.definition : *trace.definition + " on " + hardware;
}

std::vector<present::Cell> trace_row(const dataset::TraceRow& trace, bool counts) {
  std::vector<present::Cell> row{
      {group_of(trace), json::make_string(*trace.definition)},
      trace.solution != nullptr ? present::text_cell(*trace.solution) : present::no_cell(),
      present::text_cell(trace.workload->uuid)};
  if (!trace.evaluation) {
    while (row.size() < 9) row.push_back(present::no_cell());
    return row;
  }
  const auto& performance = trace.evaluation->performance;
  const bool is_timed = performance && performance->speedup_factor > 0;
  row.push_back(present::text_cell(std::string(model::name_of(trace.evaluation->status))));
  row.push_back(
      performance ? present::number_cell(performance->latency_ms, present::format_ms(performance->latency_ms))
                  : present::no_cell());
  row.push_back(is_timed ? present::number_cell(performance->speedup_factor,
                                                fmt::format("{:.2f}x", performance->speedup_factor))
                         : present::no_cell());
  row.push_back({counts ? "yes" : "no", json::make_boolean(counts)});
  row.push_back(present::text_cell(*trace.evaluation->hardware));
  row.push_back(present::text_cell(trace.evaluation->timestamp));
  return row;
}

}  // namespace

present::Table list_definitions(const Dataset& dataset, const dataset::Filter& filters) {
  std::map<std::string, std::size_t> solutions;
  std::map<std::string, std::size_t> traces;
  for (const auto& [name, solution] : dataset.solutions) {
    if (filters.holds_solution(dataset, solution)) ++solutions[solution.definition];
  }
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (filters.holds_trace(dataset, trace)) ++traces[*trace.definition];
  }
  std::vector<const model::Definition*> definitions;
  for (const auto& [name, definition] : dataset.definitions) {
    if (filters.holds_definition(dataset, name)) definitions.push_back(&definition);
  }
  std::stable_sort(definitions.begin(), definitions.end(),
                   [](const auto* left, const auto* right) { return left->op_type < right->op_type; });
  present::Table table;
  table.grouped = true;
  table.columns = {
      present::text_column("Op type", "op_type"),       present::name_column("Definition", "definition"),
      present::text_column("Axes", "variable_axes"),    present::number_column("Workloads", "workloads"),
      present::number_column("Solutions", "solutions"), present::number_column("Traces", "traces")};
  for (const model::Definition* definition : definitions) {
    const auto workloads = dataset.workloads.find(definition->name);
    table.rows.push_back(
        {present::text_cell(definition->op_type), present::text_cell(definition->name),
         list_cell(model::var_axes(*definition)),
         present::count_cell(workloads == dataset.workloads.end() ? 0 : workloads->second.size()),
         present::count_cell(solutions[definition->name]), present::count_cell(traces[definition->name])});
  }
  return table;
}

present::Table list_solutions(const Dataset& dataset, const dataset::Filter& filters,
                              const dataset::StandingResults& standing) {
  std::map<std::string, Tries> tries;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (trace.solution == nullptr) continue;
    Tries& of_solution = tries[*trace.solution];
    ++of_solution.traces;
    if (!standing.holds(trace)) continue;
    ++of_solution.results;
    if (trace.passed()) ++of_solution.passed;
  }
  std::vector<const model::Solution*> solutions;
  for (const auto& [name, solution] : dataset.solutions) {
    if (filters.holds_solution(dataset, solution)) solutions.push_back(&solution);
  }
  std::stable_sort(solutions.begin(), solutions.end(),
                   [](const auto* left, const auto* right) { return left->definition < right->definition; });
  present::Table table;
  table.grouped = true;
  table.columns = {present::name_column("Definition", "definition"),
                   present::name_column("Solution", "solution"),
                   present::name_column("Author", "author"),
                   present::text_column("Language", "language"),
                   present::text_column("Hardware", "target_hardware"),
                   present::number_column("Passed", "passed"),
                   present::number_column("Results", "results"),
                   present::number_column("Traces", "traces")};
  for (const model::Solution* solution : solutions) {
    table.rows.push_back({present::text_cell(solution->definition), present::text_cell(solution->name),
                          present::text_cell(solution->author), present::text_cell(language_of(*solution)),
                          list_cell(solution->spec.target_hardware),
                          present::count_cell(tries[solution->name].passed),
                          present::count_cell(tries[solution->name].results),
                          present::count_cell(tries[solution->name].traces)});
  }
  return table;
}

present::Table list_workloads(const Dataset& dataset, const dataset::Filter& filters) {
  std::map<std::pair<std::string, std::string>, std::size_t> traces;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (filters.holds_trace(dataset, trace)) ++traces[{*trace.definition, trace.workload->uuid}];
  }
  present::Table table;
  table.grouped = true;
  table.columns = {present::name_column("Definition", "definition"),
                   present::identity_column("Workload", "workload"), present::text_column("Axes", "axes"),
                   present::text_column("Inputs", "inputs"), present::number_column("Traces", "traces")};
  for (const auto& [definition, workloads] : dataset.workloads) {
    for (const model::Workload& workload : workloads) {
      if (!filters.holds_workload(dataset, definition, workload)) continue;
      table.rows.push_back({present::text_cell(definition), present::text_cell(workload.uuid),
                            axes_cell(workload), inputs_cell(workload),
                            present::count_cell(traces[{definition, workload.uuid}])});
    }
  }
  return table;
}

present::Table list_traces(const Dataset& dataset, const dataset::Filter& filters,
                           const dataset::StandingResults& standing) {
  std::vector<const dataset::TraceRow*> traces;
  for (const dataset::TraceRow& trace : dataset.traces) {
    if (filters.holds_trace(dataset, trace)) traces.push_back(&trace);
  }
  std::stable_sort(traces.begin(), traces.end(), [](const auto* left, const auto* right) {
    return std::tie(*left->definition, hardware_of(*left)) <
           std::tie(*right->definition, hardware_of(*right));
  });
  present::Table table;
  table.grouped = true;
  table.columns = {
      present::name_column("Definition", "definition"),
      present::name_column("Solution", "solution"),
      present::identity_column("Workload", "workload"),
      present::Column{"Status", "status", present::Align::left, present::Fit::whole},
      present::number_column("Latency (ms)", "latency_ms"),
      present::number_column("Speedup", "speedup_factor"),
      present::text_column("Counts", "counts"),
      present::only_for(present::Audience::programs, present::text_column("Hardware", "hardware")),
      present::only_for(present::Audience::programs, present::text_column("Timestamp", "timestamp"))};
  for (const dataset::TraceRow* trace : traces)
    table.rows.push_back(trace_row(*trace, standing.holds(*trace)));
  return table;
}

}  // namespace fib::report
