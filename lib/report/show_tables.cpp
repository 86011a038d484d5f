#include "report/show_tables.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "model/measurement_record.h"
#include "present/text.h"
#include "report/details.h"
#include "report/latency_cell.h"
#include "report/rank_cell.h"
#include "report/speedup_text.h"
#include "report/workload_text.h"

namespace fib::report {
namespace {

namespace json = model::json;

present::Cell nullable_text(const model::NullableText& text) {
  return text && *text ? present::text_cell(**text) : present::no_cell();
}

std::string config_text(const model::MeasurementRecord& record) {
  return record.config.is_null() ? "" : record.config.dump();
}

// The numbers of distinct configs, from 1.
using ConfigNumbers = std::map<std::string, std::size_t>;

present::Cell config_cell(const model::MeasurementRecord& record, const ConfigNumbers& configs) {
  const std::string text = config_text(record);
  if (text.empty()) return present::no_cell();
  return {std::to_string(configs.at(text)), json::from_tree(record.config)};
}

// Where the view is of a workload, people need no workload beside each result, and so on: programs have all.
std::vector<present::Column> result_columns(ResultsOf of) {
  const auto beside = [of](ResultsOf other, present::Column column) {
    return of == other ? column : present::only_for(present::Audience::programs, std::move(column));
  };
  const auto unless = [of](ResultsOf other, present::Column column) {
    return of == other ? present::only_for(present::Audience::programs, std::move(column)) : column;
  };
  return {present::text_column("Hardware", "hardware"),
          beside(ResultsOf::workload, present::name_column("Solution", "solution")),
          beside(ResultsOf::workload, present::spare(present::name_column("Author", "author"))),
          beside(ResultsOf::solution, present::text_column("Workload", "workload")),
          present::only_for(present::Audience::programs, present::text_column("Axes", "axes")),
          present::text_column("Status", "status"),
          present::number_column("Latency (ms)", "latency_ms"),
          present::only_for(present::Audience::programs, present::number_column("CV", "cv")),
          present::spare(present::number_column("Rerun within", "interval")),
          present::only_for(present::Audience::programs,
                            present::number_column("Reference (ms)", "reference_latency_ms")),
          unless(ResultsOf::trace, present::number_column("Speedup vs. ref", "speedup_factor")),
          unless(ResultsOf::trace, present::spare(present::number_column("Max abs", "max_absolute_error"))),
          unless(ResultsOf::trace, present::spare(present::number_column("Max rel", "max_relative_error"))),
          beside(ResultsOf::trace, present::text_column("Time", "timestamp")),
          beside(ResultsOf::trace, present::text_column("Run", "run_id")),
          beside(ResultsOf::trace, present::spare(present::text_column("Clock", "clock"))),
          beside(ResultsOf::trace, present::number_column("Config", "config")),
          range_columns("speedup")[0],
          range_columns("speedup")[1]};
}

std::vector<present::Cell> result_row(const Shown& shown, const ConfigNumbers& configs) {
  const model::Trace& trace = shown.trace;
  const model::Evaluation& evaluation = *trace.evaluation;
  const auto record = model::measurement_record(evaluation);
  const auto performance = [&](double model::Performance::*field) -> std::optional<double> {
    if (!evaluation.performance) return std::nullopt;
    return (*evaluation.performance).*field;
  };
  const auto positive = [](std::optional<double> number) {
    return number && *number > 0 ? number : std::nullopt;
  };
  const auto ranged = range_cells(shown.speedup_range);
  return {present::text_cell(evaluation.environment.hardware),
          present::text_cell(*trace.solution),
          present::optional_text(shown.author),
          {workload_text(trace.workload), json::make_string(trace.workload.uuid)},
          axes_cell(trace.workload),
          {status_text(evaluation.status, failure_name(record)),
           json::make_string(std::string(model::name_of(evaluation.status)))},
          present::optional_number(performance(&model::Performance::latency_ms), present::format_ms),
          present::optional_number(record.cv, present::format_share),
          present::optional_number(interval_share(evaluation), present::format_interval),
          present::optional_number(positive(performance(&model::Performance::reference_latency_ms)),
                                   present::format_ms),
          speedup_cell(positive(performance(&model::Performance::speedup_factor)), shown.speedup_range,
                       times_text),
          present::optional_number(told_error(evaluation, &model::Correctness::max_absolute_error),
                                   present::format_error),
          present::optional_number(told_error(evaluation, &model::Correctness::max_relative_error),
                                   present::format_error),
          present::text_cell(evaluation.timestamp),
          present::optional_text(record.run_id),
          present::optional_text(record.clock),
          config_cell(record, configs),
          ranged.front(),
          ranged.back()};
}

std::string axis_value(const model::Axis& axis) {
  if (axis.expression) return *axis.expression;
  if (!axis.value) return "-";
  return axis.value->fits() ? std::to_string(axis.value->value) : axis.value->digits;
}

std::string shape_text(const model::TensorSpec& tensor) {
  return tensor.shape ? fmt::format("[{}]", fmt::join(*tensor.shape, ", ")) : "scalar";
}

std::string input_text(const model::InputSpec& input) {
  if (input.kind == model::InputKind::safetensors) return input.path + ": " + input.tensor_key;
  if (input.kind != model::InputKind::scalar) return "-";
  if (!input.scalar.token.empty()) return input.scalar.token;
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, input.scalar.value);
}

std::string kind_text(model::InputKind kind) {
  switch (kind) {
    case model::InputKind::random:
      return "random";
    case model::InputKind::scalar:
      return "scalar";
    case model::InputKind::safetensors:
      return "safetensors";
    case model::InputKind::custom:
      return "custom";
  }
  return "";
}

}  // namespace

present::Table tallies_table(const std::vector<Tally>& tallies) {
  present::Table table;
  table.grouped = true;
  table.columns = {present::text_column("Hardware", "hardware"),
                   present::number_column("Rank", "rank"),
                   present::name_column("Solution", "solution"),
                   present::spare(present::name_column("Author", "author")),
                   present::number_column("Passed", "passed"),
                   present::number_column("Failed", "failed"),
                   present::spare(present::number_column("Best (ms)", "best_latency_ms")),
                   present::number_column("Mean (ms)", "latency_ms")};
  std::map<std::string, RankCells> ranks;  // by hardware
  for (const Tally& tally : tallies) ranks[tally.hardware].add(tally.rank);
  for (const Tally& tally : tallies) {
    table.rows.push_back({present::text_cell(tally.hardware), ranks.at(tally.hardware).of(tally.rank),
                          present::text_cell(tally.solution), present::optional_text(tally.author),
                          present::count_cell(tally.passed), present::count_cell(tally.failed),
                          present::optional_number(tally.best_ms, present::format_ms),
                          latency_cell(tally.mean_ms, tally.rank.has_value())});
  }
  return table;
}

present::Table results_table(const std::vector<Shown>& results, ResultsOf of) {
  present::Table table{result_columns(of), {}, true};
  ConfigNumbers configs;
  for (const std::string& config : configs_of(results)) configs.emplace(config, configs.size() + 1);
  for (const Shown& shown : results) table.rows.push_back(result_row(shown, configs));
  return table;
}

std::vector<std::string> configs_of(const std::vector<Shown>& results) {
  std::vector<std::string> configs;
  std::set<std::string> known;
  for (const Shown& shown : results) {
    const std::string text = config_text(model::measurement_record(*shown.trace.evaluation));
    if (!text.empty() && known.insert(text).second) configs.push_back(text);
  }
  return configs;
}

present::Table axes_table(const model::Definition& definition) {
  present::Table table;
  table.columns = {present::text_column("Axis", "axis"), present::text_column("Kind", "kind"),
                   present::text_column("Value", "value"),
                   present::text_column("Description", "description")};
  for (const auto& [name, axis] : definition.axes) {
    const char* kind = axis.is_var() ? "var" : axis.is_const() ? "const" : "expr";
    table.rows.push_back({present::text_cell(name), present::text_cell(kind),
                          present::text_cell(axis_value(axis)), nullable_text(axis.description)});
  }
  return table;
}

present::Table tensors_table(const std::vector<model::TensorSpec>& tensors) {
  present::Table table;
  table.columns = {present::text_column("Name", "name"), present::text_column("Shape", "shape"),
                   present::text_column("Type", "dtype"), present::text_column("Description", "description")};
  for (const model::TensorSpec& tensor : tensors) {
    table.rows.push_back({present::text_cell(tensor.name), present::text_cell(shape_text(tensor)),
                          present::text_cell(tensor.dtype), nullable_text(tensor.description)});
  }
  return table;
}

present::Table inputs_table(const model::Workload& workload) {
  present::Table table;
  table.columns = {present::text_column("Input", "input"), present::text_column("Kind", "kind"),
                   present::text_column("Value", "value")};
  for (const auto& [name, input] : workload.inputs)
    table.rows.push_back({present::text_cell(name), present::text_cell(kind_text(input.kind)),
                          present::text_cell(input_text(input))});
  return table;
}

}  // namespace fib::report
