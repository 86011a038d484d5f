#include "report/details.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "dataset/trace_stream.h"
#include "util/clock.h"

namespace fib::report {
namespace {

using nlohmann::ordered_json;

// Where the quartiles stand among the 21 quantiles 0, 5, ..., 100 %.
constexpr std::size_t kQuantiles = 21;
constexpr std::size_t kQ25 = 5;
constexpr std::size_t kMedian = 10;
constexpr std::size_t kQ75 = 15;
// Rounding may put a mean just outside of what it is the mean of.
constexpr double kBelow = 1 - 1e-9;
constexpr double kAbove = 1 + 1e-9;

const ordered_json* find(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const std::string* text_of(const ordered_json& fib, const char* key, dataset::RowPool& pool) {
  const ordered_json* value = find(fib, key);
  if (value == nullptr || value->is_null()) return nullptr;
  return pool.name(value->is_string() ? value->get<std::string>() : value->dump());
}

std::optional<double> number_of(const ordered_json& fib, const char* key) {
  const ordered_json* value = find(fib, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::size_t count_of(const ordered_json& fib, const char* key) {
  const auto value = number_of(fib, key);
  return value && *value >= 0 && *value < 1e15 ? static_cast<std::size_t>(*value) : 0;
}

// The numbers of a list; nothing unless all are finite and none is negative.
std::optional<std::vector<double>> numbers_of(const ordered_json& fib, const char* key) {
  const ordered_json* list = find(fib, key);
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<double> numbers;
  for (const auto& item : *list) {
    if (!item.is_number()) return std::nullopt;
    numbers.push_back(item.get<double>());
    if (!std::isfinite(numbers.back()) || numbers.back() < 0) return std::nullopt;
  }
  return numbers;
}

// Quantiles rise, and a mean of medians lies among them: what does not fit says nothing.
std::optional<Spread> spread_of(const ordered_json& fib, const dataset::TraceRow& row) {
  const auto quantiles = numbers_of(fib, "quantiles_ms");
  if (!quantiles || quantiles->size() != kQuantiles) return std::nullopt;
  if (!std::is_sorted(quantiles->begin(), quantiles->end()) || !((*quantiles)[kMedian] > 0))
    return std::nullopt;
  const auto& performance = row.evaluation->performance;
  const bool fits = performance && performance->latency_ms >= quantiles->front() * kBelow &&
                    performance->latency_ms <= quantiles->back() * kAbove;
  if (!fits) return std::nullopt;
  return Spread{(*quantiles)[kQ25], (*quantiles)[kMedian], (*quantiles)[kQ75]};
}

double trial_range(const ordered_json& fib) {
  const auto medians = numbers_of(fib, "trial_medians_ms");
  if (!medians || medians->empty()) return 0;
  const auto [low, high] = std::minmax_element(medians->begin(), medians->end());
  return *high - *low;
}

// The swept options in the order of their names; null when only axes were swept.
const std::string* sweep_of(const ordered_json& fib, const model::Workload& workload,
                            dataset::RowPool& pool) {
  const ordered_json* sweep = find(fib, "sweep");
  if (sweep == nullptr || !sweep->is_object()) return nullptr;
  nlohmann::json options = nlohmann::json::object();
  for (const auto& [name, value] : sweep->items()) {
    const bool is_axis = model::find(workload.axes, name) != nullptr;
    if (!is_axis) options[name] = value;
  }
  return options.empty() ? nullptr : pool.name(options.dump());
}

}  // namespace

std::optional<double> Detail::median_ms() const {
  if (!row.passed()) return std::nullopt;
  if (spread) return spread->median_ms;
  const auto& performance = row.evaluation->performance;
  if (!performance || !(performance->latency_ms > 0) || !std::isfinite(performance->latency_ms))
    return std::nullopt;
  return performance->latency_ms;
}

std::optional<double> interval_share(const model::Evaluation& evaluation) {
  if (!evaluation.performance || !evaluation.fib.is_object()) return std::nullopt;
  const ordered_json* interval = find(evaluation.fib, "interval");
  if (interval == nullptr || !interval->is_object()) return std::nullopt;
  // Below the latency the interval ends at 0.
  const auto high = number_of(*interval, "high_ms");
  const double share = high ? *high / evaluation.performance->latency_ms - 1 : -1;
  return std::isfinite(share) && share >= 0 ? std::optional(share) : std::nullopt;
}

Detail make_detail(const model::Trace& trace, dataset::RowPool& pool, KeepLogs logs) {
  Detail detail;
  detail.row = pool.row(trace);
  if (logs == KeepLogs::yes || (logs == KeepLogs::of_failures && !detail.row.passed()))
    detail.log = trace.evaluation->log;
  const ordered_json& fib = trace.evaluation->fib;
  if (!fib.is_object()) return detail;
  detail.run_id = text_of(fib, "run_id", pool);
  detail.clock = text_of(fib, "clock", pool);
  detail.flush = text_of(fib, "flush", pool);
  detail.config = text_of(fib, "config", pool);
  detail.sweep = sweep_of(fib, trace.workload, pool);
  detail.spread = spread_of(fib, detail.row);
  detail.trial_range_ms = trial_range(fib);
  detail.interval = interval_share(*trace.evaluation);
  detail.cv = number_of(fib, "cv");
  detail.sm_clock_mhz = number_of(fib, "sm_clock_median_mhz");
  detail.samples = count_of(fib, "n");
  detail.sets = count_of(fib, "sets");
  const ordered_json* changed = find(fib, "inputs_changed");
  detail.inputs_changed = changed != nullptr && changed->is_boolean() && changed->get<bool>();
  return detail;
}

std::vector<Detail> read_details(const dataset::Dataset& dataset, const dataset::Filter& filter,
                                 std::vector<std::string>& unreadable, KeepLogs logs) {
  std::vector<Detail> details;
  dataset::for_each_trace(dataset, filter, unreadable, [&](const model::Trace& trace) {
    if (trace.solution && trace.evaluation) details.push_back(make_detail(trace, *dataset.pool, logs));
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
