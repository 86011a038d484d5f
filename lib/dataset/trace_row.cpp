#include "dataset/trace_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dataset/conditions.h"
#include "dataset/ranking.h"
#include "model/measurement_record.h"

namespace fib::dataset {
namespace {

model::DeviceKind recorded_kind(const model::MeasurementRecord& record, const std::string& hardware) {
  if (!record.device || !record.device->kind) return device_kind(hardware);
  return *record.device->kind == "cpu" ? model::DeviceKind::cpu : model::DeviceKind::cuda;
}

bool sweeps_options(const model::MeasurementRecord& record, const model::Workload& workload) {
  const auto items = record.sweep.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const auto& item) { return model::find(workload.axes, item.key()) == nullptr; });
}

// "dx, dy"; nothing where there are none.
std::optional<std::string> zeros_text(const std::optional<std::vector<std::string>>& outputs) {
  if (!outputs || outputs->empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(*outputs, ", "));
}

// "sw_power_cap, hw_slowdown"; nothing where the state tells of none.
std::optional<std::string> throttle_text(const nlohmann::ordered_json& device_state) {
  if (!device_state.is_object() || !device_state.contains("throttle_reasons")) return std::nullopt;
  const auto& reasons = device_state["throttle_reasons"];
  if (!reasons.is_array()) return std::nullopt;
  std::string text;
  for (const auto& reason : reasons) {
    if (!reason.is_string()) return std::nullopt;
    text += (text.empty() ? "" : ", ") + reason.get<std::string>();
  }
  return text;
}

std::optional<double> max_clock_mhz(const nlohmann::ordered_json& device_state) {
  if (!device_state.is_object() || !device_state.contains("max_sm_clock_mhz")) return std::nullopt;
  const auto& clock = device_state["max_sm_clock_mhz"];
  return clock.is_number() ? std::optional(clock.get<double>()) : std::nullopt;
}

bool are_times(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value) && value >= 0; });
}

// Where the quartiles stand among the 21 quantiles.
constexpr std::size_t kQuantiles = 21;
constexpr std::size_t kQ25 = 5;
constexpr std::size_t kMedian = 10;
constexpr std::size_t kQ75 = 15;
constexpr std::size_t kTail = 19;
// Rounding may put a mean just outside of what it is the mean of.
constexpr double kBelow = 1 - 1e-9;
constexpr double kAbove = 1 + 1e-9;

}  // namespace

std::optional<double> TraceRow::latency_ms() const {
  if (!passed() || !evaluation->performance || !is_latency(evaluation->performance->latency_ms))
    return std::nullopt;
  return evaluation->performance->latency_ms;
}

model::DeviceKind device_kind(const model::Evaluation& evaluation) {
  return recorded_kind(model::measurement_record(evaluation), evaluation.environment.hardware);
}

std::optional<double> interval_share(const model::MeasurementRecord& record,
                                     const std::optional<model::Performance>& performance) {
  if (!performance || !record.interval || !record.interval->high_ms) return std::nullopt;
  const double share = *record.interval->high_ms / performance->latency_ms - 1;
  return std::isfinite(share) && share >= 0 ? std::optional(share) : std::nullopt;
}

std::optional<RowReference> row_reference(const model::RecordedReference& reference,
                                          const std::optional<RowPerformance>& performance,
                                          const std::string* device_uuid) {
  const auto is_time = [](const std::optional<double>& ms) { return ms && std::isfinite(*ms) && *ms > 0; };
  if (!performance || !is_time(performance->reference_latency_ms)) return std::nullopt;
  if (!is_time(reference.latency_ms) || !is_time(reference.q25_ms) || !is_time(reference.q75_ms))
    return std::nullopt;
  return RowReference{device_uuid, *reference.latency_ms, *reference.q25_ms, *reference.q75_ms,
                      reference.sets == "shared"};
}

std::optional<double> tail_of(const std::optional<std::vector<double>>& quantiles) {
  if (!quantiles || quantiles->size() != kQuantiles || !((*quantiles)[kMedian] > 0)) return std::nullopt;
  const double tail = (*quantiles)[kTail] / (*quantiles)[kMedian];
  return std::isfinite(tail) ? std::optional(tail) : std::nullopt;
}

std::optional<Spread> spread_of(const std::optional<std::vector<double>>& quantiles,
                                const std::optional<RowPerformance>& performance) {
  if (!quantiles || quantiles->size() != kQuantiles || !are_times(*quantiles)) return std::nullopt;
  if (!std::is_sorted(quantiles->begin(), quantiles->end()) || !((*quantiles)[kMedian] > 0))
    return std::nullopt;
  const bool fits = performance && performance->latency_ms >= quantiles->front() * kBelow &&
                    performance->latency_ms <= quantiles->back() * kAbove;
  if (!fits) return std::nullopt;
  return Spread{(*quantiles)[kQ25], (*quantiles)[kMedian], (*quantiles)[kQ75]};
}

double trial_range(const std::optional<std::vector<double>>& medians) {
  if (!medians || medians->empty() || !are_times(*medians)) return 0;
  const auto [low, high] = std::minmax_element(medians->begin(), medians->end());
  return *high - *low;
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

RowEvaluation RowPool::evaluation(const model::Evaluation& evaluation, const model::Workload& workload) {
  const auto record = model::measurement_record(evaluation);
  const std::string& hardware = evaluation.environment.hardware;
  RowEvaluation row{evaluation.status, recorded_kind(record, hardware),
                    name(hardware),    evaluation.timestamp,
                    std::nullopt,      std::nullopt};
  if (const auto& errors = evaluation.correctness)
    row.correctness = {errors->max_relative_error, errors->max_absolute_error};
  if (const auto& times = evaluation.performance)
    row.performance = {times->latency_ms, times->reference_latency_ms, times->speedup_factor};
  const auto known = [&](const std::optional<std::string>& text) {
    return text && !text->empty() ? name(*text) : nullptr;
  };
  row.origin = {known(record.run_id),
                known(record.solution_sha256),
                known(record.definition_sha256),
                known(run_conditions_text(record)),
                known(workload_conditions_text(record)),
                sweeps_options(record, workload)};
  row.interval = interval_share(record, evaluation.performance);
  if (record.reference) {
    const auto* uuid = record.device ? known(record.device->uuid) : nullptr;
    row.reference = row_reference(*record.reference, row.performance, uuid);
  }
  row.calls = {record.n,
               record.cv,
               tail_of(record.quantiles_ms),
               record.slow_calls,
               record.sm_clock_median_mhz,
               max_clock_mhz(record.device_state),
               record.load,
               known(throttle_text(record.device_state)),
               spread_of(record.quantiles_ms, row.performance),
               trial_range(record.trial_medians_ms),
               known(zeros_text(record.zeros_pass))};
  return row;
}

TraceRow RowPool::row(const model::Trace& trace) {
  TraceRow row{name(trace.definition), nullptr, workload(trace.workload), std::nullopt};
  if (trace.solution) row.solution = name(*trace.solution);
  if (trace.evaluation) row.evaluation = evaluation(*trace.evaluation, trace.workload);
  return row;
}

}  // namespace fib::dataset
