#include "export/row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/queries.h"
#include "model/measurement_record.h"

namespace fib::exports {
namespace {

namespace json = model::json;
using present::Cell;
using present::no_cell;
using present::text_cell;

Cell number(double value) {
  const json::Value number = json::make_number(value);
  return {json::format_double(value), number};
}

std::string axes_text(const model::Workload& workload) {
  const json::Value value = model::to_value(workload);
  return json::dump(*value.find("axes"), json::Form::compact, json::NonFinite::strings);
}

Cell own(const std::optional<std::string>& text) { return text ? text_cell(*text) : no_cell(); }

template <typename Number>
Cell own_number(const std::optional<Number>& number) {
  if (!number) return no_cell();
  const nlohmann::ordered_json value = *number;
  return {value.dump(), json::from_tree(value)};
}

void add_evaluation(std::vector<Cell>& row, const model::Evaluation& evaluation,
                    const model::MeasurementRecord& record,
                    const std::map<std::string, std::vector<std::string>>& names_by_run) {
  const auto& performance = evaluation.performance;
  const auto& correctness = evaluation.correctness;
  row.push_back(text_cell(std::string(model::name_of(evaluation.status))));
  row.push_back(text_cell(evaluation.environment.hardware));
  row.push_back(text_cell(std::string(model::name_of(dataset::device_kind(evaluation)))));
  row.push_back(text_cell(evaluation.timestamp));
  row.push_back(performance ? number(performance->latency_ms) : no_cell());
  row.push_back(performance ? number(performance->reference_latency_ms) : no_cell());
  row.push_back(performance ? number(performance->speedup_factor) : no_cell());
  row.push_back(correctness ? number(correctness->max_absolute_error) : no_cell());
  row.push_back(correctness ? number(correctness->max_relative_error) : no_cell());
  row.push_back(own(record.run_id));
  row.push_back(own(record.version));
  row.push_back(own(record.solution_sha256));
  row.push_back(own(record.clock));
  row.push_back(own(record.flush));
  row.push_back(own_number(record.n));
  row.push_back(own_number(record.cv));
  row.push_back(own_number(record.host_median_ms));
  row.push_back(record.tags.is_object() ? text_cell(record.tags.dump()) : no_cell());
  const auto names = names_by_run.find(record.run_id.value_or(""));
  row.push_back(names == names_by_run.end() ? no_cell()
                                            : text_cell(fmt::format("{}", fmt::join(names->second, ","))));
}

}  // namespace

RowContext::RowContext(const dataset::Dataset& dataset, const dataset::Filter& filter,
                       std::vector<std::string>& unreadable)
    : standing(dataset, dataset::read_results(dataset), filter) {
  std::vector<dataset::Problem> problems;
  baselines = dataset::read_baselines(dataset.root, problems);
  names_by_run = dataset::names_by_run(baselines);
  for (const auto& problem : problems)
    unreadable.push_back((dataset.root / dataset::to_string(problem)).string());
}

const std::vector<present::Column>& row_columns() {
  using present::number_column;
  using present::text_column;
  static const std::vector<present::Column> columns = {
      text_column("Definition", "definition"),
      text_column("Op Type", "op_type"),
      text_column("Solution", "solution"),
      text_column("Author", "author"),
      text_column("Workload", "workload_uuid"),
      text_column("Axes", "axes"),
      text_column("Status", "status"),
      text_column("Hardware", "hardware"),
      text_column("Device", "device_kind"),
      text_column("Time", "timestamp"),
      number_column("Latency [ms]", "latency_ms"),
      number_column("Reference [ms]", "reference_latency_ms"),
      number_column("Speedup", "speedup_factor"),
      number_column("Abs Error", "max_absolute_error"),
      number_column("Rel Error", "max_relative_error"),
      text_column("Run", "run_id"),
      text_column("Version", "fib_version"),
      text_column("Content", "solution_sha256"),
      text_column("Clock", "clock"),
      text_column("Flush", "flush"),
      number_column("Calls", "calls"),
      number_column("CV", "cv"),
      number_column("Host [ms]", "host_median_ms"),
      text_column("Tags", "tags"),
      text_column("Baselines", "baselines"),
      number_column("Counts", "counts"),
      number_column("Run's Reference [ms]", "run_reference_ms"),
      number_column("Its Low [ms]", "run_reference_low_ms"),
      number_column("Its High [ms]", "run_reference_high_ms"),
      text_column("Error Code", "error_code"),
      text_column("Error Pattern", "error_pattern"),
  };
  return columns;
}

std::vector<Cell> row_of(const dataset::Dataset& dataset, const model::Trace& trace,
                         const RowContext& context) {
  const auto definition = dataset.definitions.find(trace.definition);
  const auto solution = dataset.solutions.find(trace.solution.value_or(""));
  std::vector<Cell> row;
  row.push_back(text_cell(trace.definition));
  row.push_back(definition == dataset.definitions.end() ? no_cell() : text_cell(definition->second.op_type));
  row.push_back(trace.solution ? text_cell(*trace.solution) : no_cell());
  row.push_back(solution == dataset.solutions.end() ? no_cell() : text_cell(solution->second.author));
  row.push_back(text_cell(trace.workload.uuid));
  row.push_back(text_cell(axes_text(trace.workload)));
  constexpr std::size_t kFurther = 6;  // columns, below
  const auto record =
      trace.evaluation ? model::measurement_record(*trace.evaluation) : model::MeasurementRecord();
  if (trace.evaluation) add_evaluation(row, *trace.evaluation, record, context.names_by_run);
  row.resize(row_columns().size() - kFurther, no_cell());
  const dataset::TraceRow facts = dataset.pool->row(trace);
  row.push_back(present::count_cell(context.standing.holds(facts) ? 1 : 0));
  const auto* reference = context.standing.reference_of(facts);
  for (const double dataset::ReferenceTime::*time :
       {&dataset::ReferenceTime::median_ms, &dataset::ReferenceTime::low_ms,
        &dataset::ReferenceTime::high_ms})
    row.push_back(reference != nullptr ? number(reference->*time) : no_cell());
  row.push_back(record.failure ? own(record.failure->code) : no_cell());
  row.push_back(record.failure && record.failure->mismatch ? own(record.failure->mismatch->pattern)
                                                           : no_cell());
  return row;
}

}  // namespace fib::exports
