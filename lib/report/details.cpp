#include "report/details.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "dataset/ranking.h"
#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "model/measurement_record.h"
#include "util/clock.h"

namespace fib::report {
namespace {

// Where the quartiles stand among the 21 quantiles 0, 5, ..., 100 %.
constexpr std::size_t kQuantiles = 21;
constexpr std::size_t kQ25 = 5;
constexpr std::size_t kMedian = 10;
constexpr std::size_t kQ75 = 15;
// Rounding may put a mean just outside of what it is the mean of.
constexpr double kBelow = 1 - 1e-9;
constexpr double kAbove = 1 + 1e-9;

const std::string* name_in(dataset::RowPool& pool, const std::optional<std::string>& text) {
  return text ? pool.name(*text) : nullptr;
}

bool are_times(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value) && value >= 0; });
}

// Quantiles rise, and a mean of medians lies among them: what does not fit says nothing.
std::optional<Spread> spread_of(const model::MeasurementRecord& record, const dataset::TraceRow& row) {
  const auto& quantiles = record.quantiles_ms;
  if (!quantiles || quantiles->size() != kQuantiles || !are_times(*quantiles)) return std::nullopt;
  if (!std::is_sorted(quantiles->begin(), quantiles->end()) || !((*quantiles)[kMedian] > 0))
    return std::nullopt;
  const auto& performance = row.evaluation->performance;
  const bool fits = performance && performance->latency_ms >= quantiles->front() * kBelow &&
                    performance->latency_ms <= quantiles->back() * kAbove;
  if (!fits) return std::nullopt;
  return Spread{(*quantiles)[kQ25], (*quantiles)[kMedian], (*quantiles)[kQ75]};
}

double trial_range(const model::MeasurementRecord& record) {
  const auto& medians = record.trial_medians_ms;
  if (!medians || medians->empty() || !are_times(*medians)) return 0;
  const auto [low, high] = std::minmax_element(medians->begin(), medians->end());
  return *high - *low;
}

// The swept options in the order of their names; null when only axes were swept.
const std::string* sweep_of(const model::MeasurementRecord& record, const model::Workload& workload,
                            dataset::RowPool& pool) {
  nlohmann::json options = nlohmann::json::object();
  for (const auto& [name, value] : record.sweep.items()) {
    const bool is_axis = model::find(workload.axes, name) != nullptr;
    if (!is_axis) options[name] = value;
  }
  return options.empty() ? nullptr : pool.name(options.dump());
}

}  // namespace

std::optional<double> Detail::median_ms() const {
  if (!row.passed()) return std::nullopt;
  if (spread) return spread->median_ms;
  return latency_ms();
}

std::optional<double> Detail::latency_ms() const {
  const auto& performance = row.evaluation->performance;
  if (!row.passed() || !performance || !dataset::is_latency(performance->latency_ms)) return std::nullopt;
  return performance->latency_ms;
}

std::optional<double> interval_share(const model::Evaluation& evaluation) {
  return dataset::interval_share(model::measurement_record(evaluation), evaluation.performance);
}

Detail make_detail(const model::Trace& trace, dataset::RowPool& pool, KeepLogs logs) {
  Detail detail;
  detail.row = pool.row(trace);
  if (logs == KeepLogs::yes || (logs == KeepLogs::of_failures && !detail.row.passed()))
    detail.log = trace.evaluation->log;
  const auto record = model::measurement_record(*trace.evaluation);
  detail.run_id = name_in(pool, record.run_id);
  detail.clock = name_in(pool, record.clock);
  detail.flush = name_in(pool, record.flush);
  if (!record.config.is_null()) detail.config = pool.name(record.config.dump());
  detail.sweep = sweep_of(record, trace.workload, pool);
  detail.spread = spread_of(record, detail.row);
  detail.trial_range_ms = trial_range(record);
  detail.interval = detail.row.evaluation->interval;
  detail.cv = record.cv;
  detail.sm_clock_mhz = record.sm_clock_median_mhz;
  detail.samples = record.n.value_or(0);
  detail.sets = record.sets.value_or(0);
  detail.inputs_changed = record.inputs_changed.value_or(0) > 0;
  return detail;
}

std::vector<Detail> read_details(const dataset::Dataset& dataset, const dataset::Filter& filter,
                                 std::vector<std::string>& unreadable, KeepLogs logs) {
  std::vector<Detail> details;
  dataset::for_each_trace(dataset, filter, unreadable, [&](const model::Trace& trace) {
    if (!trace.solution || !trace.evaluation) return;
    details.push_back(make_detail(trace, *dataset.pool, logs));
    if (filter.standing) filter.standing->settle_reference(details.back().row);
  });
  return details;
}

std::vector<const Detail*> latest(const std::vector<Detail>& details, SweepPoints points) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::size_t> places;
  std::vector<const Detail*> result;
  const auto time_of = [](const Detail& detail) {
    return util::parse_timestamp(detail.row.evaluation->timestamp).value_or(0);
  };
  for (const Detail& detail : details) {
    const auto& row = detail.row;
    const auto [place, is_new] = places.emplace(
        std::tuple(*row.evaluation->hardware, *row.definition, *row.solution, row.workload->uuid,
                   points == SweepPoints::apart && detail.sweep != nullptr ? *detail.sweep : ""),
        result.size());
    if (is_new) {
      result.push_back(&detail);
    } else if (time_of(detail) >= time_of(*result[place->second])) {
      result[place->second] = &detail;
    }
  }
  return result;
}

}  // namespace fib::report
