#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "c_api/errors.h"
#include "c_api/handles.h"
#include "dataset/add_record.h"
#include "dataset/append.h"
#include "dataset/paths.h"
#include "dataset/queries.h"
#include "dataset/trace_stream.h"
#include "util/utf8.h"

using namespace fib;
using c_api::expect;
using c_api::Invalid;
using nlohmann::ordered_json;

namespace {

ordered_json options_of(const char* options) {
  if (options == nullptr) return ordered_json::object();
  try {
    (void)model::json::parse(options);  // bounds the depth
    auto document = ordered_json::parse(options);
    if (!document.is_object()) throw Invalid("the options have to be an object");
    return document;
  } catch (const nlohmann::json::exception& error) {
    throw Invalid("the options are no JSON: {}", error.what());
  } catch (const model::ParseError& error) {
    throw Invalid("the options are no JSON: {}", error.what());
  }
}

// Gives each option to `take`, which says whether it knows it. Throws Invalid for unknown ones and wrong
// types.
template <typename Take>
void read_options(const char* options, Take take) {
  const auto document = options_of(options);
  for (const auto& [key, value] : document.items()) {
    try {
      if (!take(key, value)) throw Invalid("there is no option \"{}\"", key);
    } catch (const nlohmann::json::exception&) {
      throw Invalid("the option \"{}\" has a value of the wrong type", key);
    }
  }
}

// Adds the records of a JSON list to the dataset.
template <typename Add>
void for_each_record(const model::json::Value& document, const char* list, Add add) {
  const auto* found = document.find(list);
  if (found == nullptr) return;
  if (found->kind != model::json::Kind::array) throw Invalid("{} has to be a list", list);
  std::size_t number = 0;
  for (const auto& record : found->items) {
    try {
      add(record);
    } catch (const Error& error) {
      throw Invalid("{}[{}]: {}", list, number, error.what());
    }
    ++number;
  }
}

fib_dataset dataset_from(const model::json::Value& document) {
  if (document.kind != model::json::Kind::object) throw Invalid("a dataset has to be an object");
  fib_dataset result;
  auto& dataset = result.dataset;
  for_each_record(document, "definitions", [&](const model::json::Value& record) {
    auto definition = model::read_definition(record);
    const std::string name = definition.name;
    if (!dataset.definitions.emplace(name, std::move(definition)).second)
      throw Error("a definition \"{}\" is there already", name);
  });
  for_each_record(document, "solutions", [&](const model::json::Value& record) {
    auto solution = model::read_solution(record);
    const std::string name = solution.name;
    if (!dataset.solutions.emplace(name, std::move(solution)).second)
      throw Error("a solution \"{}\" is there already", name);
  });
  for_each_record(document, "traces", [&](const model::json::Value& record) {
    auto trace = model::read_trace(record);
    if (trace.evaluation) {
      dataset.traces.push_back(dataset.pool->row(trace));
      result.records.push_back(std::move(trace));
    } else {
      dataset.workloads[trace.definition].push_back(trace.workload);
    }
  });
  return result;
}

std::string joined(const std::vector<std::string>& records) {
  std::string text = "[";
  for (const auto& record : records) text += (text.size() > 1 ? "," : "") + record;
  return text + "]";
}

template <typename Record>
std::string listed(const std::map<std::string, Record>& records) {
  std::vector<std::string> texts;
  for (const auto& [name, record] : records)
    texts.push_back(model::to_json(record, model::json::Form::compact));
  return joined(texts);
}

std::string workloads_of(const dataset::Dataset& dataset, const char* definition) {
  std::vector<std::string> texts;
  for (const auto& [name, workloads] : dataset.workloads) {
    if (definition != nullptr && name != definition) continue;
    for (const auto& workload : workloads) {
      model::Trace trace;
      trace.definition = name;
      trace.workload = workload;
      texts.push_back(model::to_json(trace));
    }
  }
  return joined(texts);
}

// Gives every result to `visit`, whole.
template <typename Visit>
void for_each_result(const fib_dataset& dataset, Visit visit) {
  if (dataset.dataset.root.empty()) {
    std::for_each(dataset.records.begin(), dataset.records.end(), visit);
    return;
  }
  std::vector<std::string> unreadable;  // fib_dataset_problems() has told it
  dataset::for_each_trace(dataset.dataset, {}, unreadable, visit);
}

std::string traces_of(const fib_dataset& dataset, const char* definition) {
  std::vector<std::string> texts;
  for_each_result(dataset, [&](const model::Trace& trace) {
    if (definition == nullptr || trace.definition == definition) texts.push_back(model::to_json(trace));
  });
  return joined(texts);
}

bool same_result(const model::Evaluation& whole, const dataset::RowEvaluation& row) {
  if (row.hardware != nullptr && whole.environment.hardware != *row.hardware) return false;
  return whole.performance && row.performance &&
         whole.performance->latency_ms == row.performance->latency_ms &&
         whole.performance->speedup_factor == row.performance->speedup_factor;
}

// The record that a row was made from.
std::string record_of(const fib_dataset& dataset, const dataset::TraceRow& row) {
  std::string text;
  for_each_result(dataset, [&](const model::Trace& trace) {
    if (text.empty() && trace.definition == *row.definition && trace.solution == *row.solution &&
        trace.workload.uuid == row.workload->uuid &&
        trace.evaluation->timestamp == row.evaluation->timestamp &&
        trace.evaluation->status == row.evaluation->status && same_result(*trace.evaluation, *row.evaluation))
      text = model::to_json(trace);
  });
  if (text.empty()) throw Error("the record of the best trace is no longer in the dataset's files");
  return text;
}

const model::Definition& definition_of(const dataset::Dataset& dataset, const std::string& name) {
  const auto found = dataset.definitions.find(name);
  if (found == dataset.definitions.end()) throw c_api::NotFound("the dataset has no definition \"{}\"", name);
  return found->second;
}

void append(const std::filesystem::path& root, const std::filesystem::path& file, const std::string& line) {
  dataset::append_lines(root, file, {line});
}

void add(const dataset::Dataset& dataset, fib_record kind, const char* json) {
  if (dataset.root.empty()) throw Invalid("a dataset from memory has no folder to add to");
  switch (kind) {
    case FIB_DEFINITION:
      dataset::add_definition(dataset.root, model::parse_definition(json));
      return;
    case FIB_SOLUTION: {
      const auto solution = model::parse_solution(json);
      dataset::add_solution(dataset.root, solution, definition_of(dataset, solution.definition).op_type);
      return;
    }
    case FIB_WORKLOAD:
    case FIB_TRACE: {
      const auto trace = model::parse_trace(json);
      const auto& definition = definition_of(dataset, trace.definition);
      if (!trace.evaluation) {
        append(dataset.root, dataset::workloads_file(dataset.root, definition.op_type, definition.name),
               model::to_json(trace));
        return;
      }
      const auto solution = dataset.solutions.find(trace.solution.value_or(""));
      if (solution == dataset.solutions.end())
        throw c_api::NotFound("the dataset has no solution \"{}\"", trace.solution.value_or(""));
      append(dataset.root,
             dataset::traces_file(dataset.root, solution->second.author, definition.op_type, definition.name),
             model::to_json(trace));
      return;
    }
  }
  throw Invalid("there is no kind of record {}", static_cast<int>(kind));
}

}  // namespace

extern "C" {

fib_status fib_dataset_open(const char* path, fib_dataset** dataset) {
  return c_api::guarded([&] {
    expect(dataset, "dataset");
    const std::filesystem::path root = expect(path, "path");
    if (!std::filesystem::is_directory(root)) throw c_api::NotFound("there is no folder {}", root.string());
    *dataset = new fib_dataset{dataset::load(std::filesystem::absolute(root))};
  });
}

fib_status fib_dataset_from_json(const char* json, fib_dataset** dataset) {
  return c_api::guarded([&] {
    expect(dataset, "dataset");
    namespace json_text = model::json;
    // All of a dataset, which the program made itself: as many values as there are.
    *dataset = new fib_dataset(
        dataset_from(json_text::parse(expect(json, "json"), {json_text::kMostLevels, SIZE_MAX, SIZE_MAX})));
  });
}

void fib_dataset_close(fib_dataset* dataset) { delete dataset; }

fib_status fib_dataset_problems(const fib_dataset* dataset, char** problems) {
  return c_api::guarded([&] {
    expect(problems, "problems");
    ordered_json list = ordered_json::array();
    for (const auto& problem : expect(dataset, "dataset")->dataset.problems) {
      list.push_back({{"file", util::valid_utf8(problem.file)},
                      {"line", problem.line},
                      {"message", util::valid_utf8(problem.message)},
                      {"severity", problem.severity == dataset::Severity::error ? "error" : "warning"}});
    }
    *problems = c_api::new_text(list.dump());
  });
}

fib_status fib_dataset_records(const fib_dataset* dataset, fib_record kind, const char* definition,
                               char** records) {
  return c_api::guarded([&] {
    expect(records, "records");
    const auto& data = expect(dataset, "dataset")->dataset;
    switch (kind) {
      case FIB_DEFINITION:
        *records = c_api::new_text(listed(data.definitions));
        return;
      case FIB_SOLUTION:
        *records = c_api::new_text(listed(data.solutions));
        return;
      case FIB_WORKLOAD:
        *records = c_api::new_text(workloads_of(data, definition));
        return;
      case FIB_TRACE:
        *records = c_api::new_text(traces_of(*dataset, definition));
        return;
    }
    throw Invalid("there is no kind of record {}", static_cast<int>(kind));
  });
}

fib_status fib_dataset_best(const fib_dataset* dataset, const char* definition, const char* options,
                            char** trace) {
  return c_api::guarded([&] {
    expect(trace, "trace");
    model::AxisValues axes;
    std::optional<dataset::ErrorLimits> limits;
    std::optional<std::string> hardware;
    const double none = std::numeric_limits<double>::infinity();
    read_options(options, [&](const std::string& key, const ordered_json& value) {
      if (key == "axes") {
        if (!value.is_object()) throw Invalid("the option \"axes\" has to be an object");
        for (const auto& [axis, size] : value.items()) {
          if (!size.is_number_integer()) throw Invalid("the axis \"{}\" has to be a whole number", axis);
          axes[axis] = size.get<std::int64_t>();
        }
      } else if (key == "max_absolute_error" || key == "max_relative_error") {
        if (!limits) limits = dataset::ErrorLimits{none, none};
        (key == "max_absolute_error" ? limits->max_absolute : limits->max_relative) = value.get<double>();
      } else if (key == "hardware") {
        hardware = value.get<std::string>();
      } else {
        return false;
      }
      return true;
    });
    const auto& data = expect(dataset, "dataset")->dataset;
    (void)definition_of(data, expect(definition, "definition"));
    const auto* best = dataset::Queries(data).best_trace(definition, axes, limits, hardware);
    *trace = c_api::new_text(best == nullptr ? "null" : record_of(*dataset, *best));
  });
}

fib_status fib_dataset_ranking(const fib_dataset* dataset, const char* options, char** ranking) {
  return c_api::guarded([&] {
    expect(ranking, "ranking");
    dataset::Scope scope;
    read_options(options, [&](const std::string& key, const ordered_json& value) {
      if (key == "baseline_author") {
        scope.baseline_author = value.get<std::string>();
      } else if (key == "op_type") {
        scope.op_type = value.get<std::string>();
      } else if (key == "definition") {
        scope.definition = value.get<std::string>();
      } else if (key == "hardware") {
        scope.hardware = value.get<std::string>();
      } else {
        return false;
      }
      return true;
    });
    ordered_json list = ordered_json::array();
    try {
      for (const auto& [author, score] :
           dataset::Queries(expect(dataset, "dataset")->dataset).rank_authors(scope)) {
        list.push_back(
            {{"author", author},
             {"avg_speedup", score.avg_speedup},
             {"geomean_speedup", score.geomean_speedup},
             {"success_rate", score.success_rate},
             {"win_rate", score.win_rate},
             {"workloads", score.workloads},
             {"definitions", score.definitions},
             {"best_solutions", score.best_solutions.value_or(std::map<std::string, std::string>())}});
      }
    } catch (const dataset::QueryError& error) {
      throw Invalid("{}", error.what());
    }
    *ranking = c_api::new_text(list.dump());
  });
}

fib_status fib_dataset_add(const fib_dataset* dataset, fib_record kind, const char* json) {
  return c_api::guarded([&] { add(expect(dataset, "dataset")->dataset, kind, expect(json, "json")); });
}
}
