#include "report/details.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "present/text.h"
#include "util/clock.h"

namespace fib::report {
namespace {

const std::string* name_in(dataset::RowPool& pool, const std::optional<std::string>& text) {
  return text ? pool.name(*text) : nullptr;
}

// The swept options in the order of their names; null when only axes were swept.
const std::string* sweep_of(const model::MeasurementRecord& record, const model::Workload& workload,
                            dataset::RowPool& pool) {
  std::map<std::string, std::string> options;
  for (const auto& [name, value] : record.sweep.items()) {
    const bool is_axis = model::find(workload.axes, name) != nullptr;
    if (!is_axis) options[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  std::string text;
  for (const auto& [name, value] : options)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? nullptr : pool.name(text);
}

}  // namespace

std::optional<double> interval_share(const model::Evaluation& evaluation) {
  return dataset::interval_share(model::measurement_record(evaluation), evaluation.performance);
}

std::optional<double> told_error(const model::Evaluation& evaluation, double model::Correctness::*error) {
  if (!evaluation.correctness) return std::nullopt;
  const double value = (*evaluation.correctness).*error;
  const bool says_nothing = evaluation.status != model::Status::PASSED && value == 0;
  return says_nothing ? std::nullopt : std::optional(value);
}

FailureName failure_name(const model::MeasurementRecord& record) {
  const auto& failure = record.failure;
  if (!failure || !failure->code) return {};
  FailureName name{*failure->code, "", failure->skipped_after.has_value()};
  if (failure->mismatch) name.pattern = failure->mismatch->pattern.value_or("");
  if (name.code == "unwritten_output" && name.pattern == "all_nan") name.pattern.clear();  // it is poison
  return name;
}

std::string status_text(model::Status status, const FailureName& failure) {
  const std::string text(model::name_of(status));
  if (failure.code.empty()) return text;
  return text + " (" + present::printable(failure.code) +
         (failure.pattern.empty() ? "" : ": " + present::printable(failure.pattern)) + ")";
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
  detail.cv = record.cv;
  detail.sm_clock_mhz = record.sm_clock_median_mhz;
  detail.samples = record.n.value_or(0);
  detail.sets = record.sets.value_or(0);
  detail.inputs_changed = record.inputs_changed.value_or(0) > 0;
  detail.failure = failure_name(record);
  nlohmann::ordered_json libs = nlohmann::ordered_json::object();
  for (const auto& [name, version] : trace.evaluation->environment.libs) libs[name] = version;
  if (!libs.empty())
    detail.libs = pool.name(libs.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
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
