#include "report/listing.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "report/overview.h"
#include "report/text.h"
#include "report/workload_text.h"

namespace fib::report {
namespace {

namespace json = model::json;
using dataset::Dataset;

bool matches(const std::vector<std::string>& globs, const std::string& name) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return glob == name || ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
         });
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + text;
  return result.empty() ? "-" : result;
}

Cell list_cell(const std::vector<std::string>& texts) {
  Cell cell{joined(texts), json::make_array()};
  for (const std::string& text : texts) cell.value.items.push_back(json::make_string(text));
  return cell;
}

struct Tries {
  std::size_t traces = 0;
  std::size_t passed = 0;
};

Table definitions_table(const Dataset& dataset, const ListFilters& filters) {
  std::map<std::string, std::size_t> solutions;
  std::map<std::string, std::size_t> traces;
  for (const auto& [name, solution] : dataset.solutions) {
    if (filters.holds_solution(dataset, solution)) ++solutions[solution.definition];
  }
  for (const model::Trace& trace : dataset.traces) {
    if (filters.holds_trace(dataset, trace)) ++traces[trace.definition];
  }
  std::vector<const model::Definition*> definitions;
  for (const auto& [name, definition] : dataset.definitions) {
    if (filters.holds_definition(dataset, name)) definitions.push_back(&definition);
  }
  std::stable_sort(definitions.begin(), definitions.end(),
                   [](const auto* left, const auto* right) { return left->op_type < right->op_type; });
  Table table;
  table.grouped = true;
  table.columns = {text_column("Op type", "op_type"),       text_column("Definition", "definition"),
                   text_column("Axes", "variable_axes"),    number_column("Workloads", "workloads"),
                   number_column("Solutions", "solutions"), number_column("Traces", "traces")};
  for (const model::Definition* definition : definitions) {
    const auto workloads = dataset.workloads.find(definition->name);
    table.rows.push_back({text_cell(definition->op_type), text_cell(definition->name),
                          list_cell(model::var_axes(*definition)),
                          count_cell(workloads == dataset.workloads.end() ? 0 : workloads->second.size()),
                          count_cell(solutions[definition->name]), count_cell(traces[definition->name])});
  }
  return table;
}

std::string language_of(const model::Solution& solution) {
  return solution.spec.language_text.empty() ? std::string(model::name_of(solution.spec.language))
                                             : solution.spec.language_text;
}

Table solutions_table(const Dataset& dataset, const ListFilters& filters) {
  std::map<std::string, Tries> tries;
  for (const model::Trace& trace : dataset.traces) {
    if (!trace.solution) continue;
    ++tries[*trace.solution].traces;
    if (trace.passed()) ++tries[*trace.solution].passed;
  }
  std::vector<const model::Solution*> solutions;
  for (const auto& [name, solution] : dataset.solutions) {
    if (filters.holds_solution(dataset, solution)) solutions.push_back(&solution);
  }
  std::stable_sort(solutions.begin(), solutions.end(),
                   [](const auto* left, const auto* right) { return left->definition < right->definition; });
  Table table;
  table.grouped = true;
  table.columns = {text_column("Definition", "definition"),
                   text_column("Solution", "solution"),
                   text_column("Author", "author"),
                   text_column("Language", "language"),
                   text_column("Hardware", "target_hardware"),
                   number_column("Passed", "passed"),
                   number_column("Traces", "traces")};
  for (const model::Solution* solution : solutions) {
    table.rows.push_back({text_cell(solution->definition), text_cell(solution->name),
                          text_cell(solution->author), text_cell(language_of(*solution)),
                          list_cell(solution->spec.target_hardware), count_cell(tries[solution->name].passed),
                          count_cell(tries[solution->name].traces)});
  }
  return table;
}

// Where the inputs come from: "3 random, 2 safetensors".
Cell inputs_cell(const model::Workload& workload) {
  constexpr std::pair<model::InputKind, const char*> kKinds[] = {
      {model::InputKind::random, "random"},
      {model::InputKind::scalar, "scalar"},
      {model::InputKind::safetensors, "safetensors"},
      {model::InputKind::custom, "custom"}};
  Cell cell{"", json::make_object()};
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

Table workloads_table(const Dataset& dataset, const ListFilters& filters) {
  std::map<std::pair<std::string, std::string>, std::size_t> traces;
  for (const model::Trace& trace : dataset.traces) {
    if (filters.holds_trace(dataset, trace)) ++traces[{trace.definition, trace.workload.uuid}];
  }
  Table table;
  table.grouped = true;
  table.columns = {text_column("Definition", "definition"), identity_column("Workload", "workload"),
                   text_column("Axes", "axes"), text_column("Inputs", "inputs"),
                   number_column("Traces", "traces")};
  for (const auto& [definition, workloads] : dataset.workloads) {
    if (!filters.holds_definition(dataset, definition)) continue;
    for (const model::Workload& workload : workloads) {
      table.rows.push_back({text_cell(definition), text_cell(workload.uuid), axes_cell(workload),
                            inputs_cell(workload), count_cell(traces[{definition, workload.uuid}])});
    }
  }
  return table;
}

std::vector<Cell> trace_row(const model::Trace& trace) {
  std::vector<Cell> row{text_cell(trace.definition), trace.solution ? text_cell(*trace.solution) : no_cell(),
                        text_cell(trace.workload.uuid)};
  if (!trace.evaluation) {
    while (row.size() < 8) row.push_back(no_cell());
    return row;
  }
  const auto& performance = trace.evaluation->performance;
  const bool is_timed = performance && performance->speedup_factor > 0;
  row.push_back(text_cell(std::string(model::name_of(trace.evaluation->status))));
  row.push_back(performance ? number_cell(performance->latency_ms, format_ms(performance->latency_ms))
                            : no_cell());
  row.push_back(
      is_timed ? number_cell(performance->speedup_factor, fmt::format("{:.2f}×", performance->speedup_factor))
               : no_cell());
  row.push_back(text_cell(trace.evaluation->environment.hardware));
  row.push_back(text_cell(trace.evaluation->timestamp));
  return row;
}

Table traces_table(const Dataset& dataset, const ListFilters& filters) {
  std::vector<const model::Trace*> traces;
  for (const model::Trace& trace : dataset.traces) {
    if (filters.holds_trace(dataset, trace)) traces.push_back(&trace);
  }
  std::stable_sort(traces.begin(), traces.end(),
                   [](const auto* left, const auto* right) { return left->definition < right->definition; });
  Table table;
  table.grouped = true;
  table.columns = {text_column("Definition", "definition"),
                   text_column("Solution", "solution"),
                   identity_column("Workload", "workload"),
                   Column{"Status", "status", Align::left, Fit::whole},
                   number_column("Latency (ms)", "latency_ms"),
                   number_column("Speedup", "speedup_factor"),
                   text_column("Hardware", "hardware"),
                   only_for(Audience::programs, text_column("Timestamp", "timestamp"))};
  for (const model::Trace* trace : traces) table.rows.push_back(trace_row(*trace));
  return table;
}

struct Words {
  const char* report;  // the name of the json document
  const char* key;     // of the first table
  const char* none;    // what there is none of
};

Words words_of(ListKind kind) {
  switch (kind) {
    case ListKind::definitions:
      return {"list_definitions", "definitions", "definitions"};
    case ListKind::solutions:
      return {"list_solutions", "solutions", "solutions"};
    case ListKind::workloads:
      return {"list_workloads", "workloads", "workloads"};
    case ListKind::traces:
      return {"list_traces", "traces", "traces"};
    case ListKind::overview:
      break;
  }
  return {"list", "op_types", "definitions, solutions, workloads or traces"};
}

json::Value to_json(const Listing& listing) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(listing.path));
  for (const auto& [key, table] : listing.tables) object.add(key, to_json(table));
  return object;
}

std::string csv(const std::vector<Listing>& listings) {
  Table all;
  for (const Listing& listing : listings) {
    append(all, with_leading(listing.tables.front().second, text_column("Dataset", "dataset"),
                             text_cell(listing.path)));
  }
  return to_csv(all);
}

void write_listing(Document& document, const Listing& listing, ListKind kind) {
  bool empty = true;
  for (const auto& [key, table] : listing.tables) empty = empty && table.rows.empty();
  if (empty) {
    document.paragraph(fmt::format("No {} in {}{}", words_of(kind).none, listing.path,
                                   listing.filtered ? " match the filters" : ""));
    return;
  }
  if (!listing.totals.empty()) document.paragraph(listing.totals);
  for (const auto& [key, table] : listing.tables) document.table("", table);
}

}  // namespace

bool ListFilters::holds_definition(const Dataset& dataset, const std::string& name) const {
  if (!matches(definitions, name)) return false;
  if (op_types.empty()) return true;
  const auto found = dataset.definitions.find(name);
  return found != dataset.definitions.end() && matches(op_types, found->second.op_type);
}

bool ListFilters::holds_solution(const Dataset& dataset, const model::Solution& solution) const {
  return matches(authors, solution.author) && holds_definition(dataset, solution.definition);
}

bool ListFilters::holds_trace(const Dataset& dataset, const model::Trace& trace) const {
  if (!holds_definition(dataset, trace.definition)) return false;
  if (authors.empty()) return true;
  if (!trace.solution) return false;
  const auto found = dataset.solutions.find(*trace.solution);
  return found != dataset.solutions.end() && matches(authors, found->second.author);
}

Listing list(const Dataset& dataset, ListKind kind, const ListFilters& filters) {
  Listing listing;
  listing.path = dataset.root.string();
  listing.filtered = !filters.definitions.empty() || !filters.authors.empty() || !filters.op_types.empty();
  const auto add = [&](Table table) { listing.tables.emplace_back(words_of(kind).key, std::move(table)); };
  switch (kind) {
    case ListKind::overview:
      listing.totals = totals_text(dataset, filters);
      add(op_types_table(dataset, filters));
      listing.tables.emplace_back("authors", authors_table(dataset, filters));
      break;
    case ListKind::definitions:
      add(definitions_table(dataset, filters));
      break;
    case ListKind::solutions:
      add(solutions_table(dataset, filters));
      break;
    case ListKind::workloads:
      add(workloads_table(dataset, filters));
      break;
    case ListKind::traces:
      add(traces_table(dataset, filters));
      break;
  }
  return listing;
}

std::string render_listings(const std::vector<Listing>& listings, ListKind kind, Format format,
                            const TextStyle& style) {
  if (format == Format::csv) return csv(listings);
  if (format == Format::json) {
    std::vector<json::Value> values;
    for (const Listing& listing : listings) values.push_back(to_json(listing));
    return json_document(words_of(kind).report, std::move(values));
  }
  Document document(format, style);
  for (std::size_t i = 0; i < listings.size(); ++i) {
    if (listings.size() > 1) document.heading(fmt::format("Dataset {}: {}", i + 1, listings[i].path));
    write_listing(document, listings[i], kind);
  }
  return document.text();
}

}  // namespace fib::report
