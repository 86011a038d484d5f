#include "dataset/trace_row.h"

#include <nlohmann/json.hpp>

namespace fib::dataset {
namespace {

RowEvaluation row_evaluation(const model::Evaluation& evaluation, const std::string* hardware) {
  RowEvaluation row{evaluation.status, device_kind(evaluation), hardware, evaluation.timestamp, std::nullopt,
                    std::nullopt};
  if (const auto& errors = evaluation.correctness)
    row.correctness = {errors->max_relative_error, errors->max_absolute_error};
  if (const auto& times = evaluation.performance)
    row.performance = {times->latency_ms, times->reference_latency_ms, times->speedup_factor};
  return row;
}

}  // namespace

model::DeviceKind device_kind(const model::Evaluation& evaluation) {
  if (evaluation.fib.is_object() && evaluation.fib.contains("device")) {
    const auto& device = evaluation.fib.at("device");
    const auto kind = device.is_object() ? device.find("kind") : device.end();
    if (device.is_object() && kind != device.end() && kind->is_string()) {
      return *kind == "cpu" ? model::DeviceKind::cpu : model::DeviceKind::cuda;
    }
  }
  return device_kind(evaluation.environment.hardware);
}

model::DeviceKind device_kind(const std::string& hardware) {
  return hardware.starts_with("NVIDIA") ? model::DeviceKind::cuda : model::DeviceKind::cpu;
}

const std::string* RowPool::name(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  return &*names_.emplace(text).first;
}

const model::Workload* RowPool::workload(const model::Workload& workload) {
  std::string json = model::to_json(workload);
  const std::scoped_lock lock(mutex_);
  auto& kept = workloads_[std::move(json)];
  if (!kept) kept = std::make_unique<const model::Workload>(workload);
  return kept.get();
}

TraceRow RowPool::row(const model::Trace& trace) {
  TraceRow row{name(trace.definition), nullptr, workload(trace.workload), std::nullopt};
  if (trace.solution) row.solution = name(*trace.solution);
  if (trace.evaluation)
    row.evaluation = row_evaluation(*trace.evaluation, name(trace.evaluation->environment.hardware));
  return row;
}

}  // namespace fib::dataset
