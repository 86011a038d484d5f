#include "bench/earlier_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/call_plan.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

// Of the calls of a reference more than these tell little more.
constexpr std::uint64_t kEnoughCalls = 10;

// As guests describe themselves; a build of torch may follow ("2.11.0+cu130").
bool is_engine_of(const std::string& engine, const compile::PythonInterpreter& python) {
  const auto torch = python.packages.find("torch");
  return torch != python.packages.end() &&
         engine.starts_with(fmt::format("Python {}, torch {}", python.version, torch->second));
}

bool is_same_setting(const nlohmann::ordered_json& recorded, const nlohmann::ordered_json& now) {
  const auto is_same = [&](const char* name) {
    return recorded.contains(name) && recorded[name] == now[name];
  };
  return is_same("flush") && is_same("clock");
}

bool is_on(const LaneDevice& device, const model::MeasurementRecord& record, const model::Trace& trace) {
  if (!record.device || record.device->kind != model::name_of(device.kind)) return false;
  return trace.evaluation->environment.hardware == device.name &&
         record.device->uuid.value_or("") == device.uuid;
}

bool is_recent(const std::optional<std::string>& timestamp, std::int64_t now_us) {
  const auto then = timestamp ? util::parse_timestamp(*timestamp) : std::nullopt;
  return then && *then <= now_us && now_us - *then <= kReferenceCountsUs;
}

// The same as below, of a trace that passed and its record.
bool measures_reference(const model::Trace& trace, const model::MeasurementRecord& record) {
  const auto& performance = trace.evaluation->performance;
  const auto& reference = record.reference;
  return performance && performance->reference_latency_ms > 0 && reference && !reference->timed_utc &&
         reference->engine && reference->engine->starts_with("Python ") && reference->latency_ms &&
         reference->n && (!record.synthesized || record.synthesized->empty());
}

}  // namespace

bool measures_reference(const model::Trace& trace) {
  return trace.passed() && measures_reference(trace, model::measurement_record(*trace.evaluation));
}

std::optional<model::RecordedReference> earlier_reference(const model::Trace& trace,
                                                          const PlannedEvaluation& planned,
                                                          const RunConfig& config,
                                                          const Environment& environment,
                                                          const std::string& version, std::int64_t now_us) {
  // Most traces are of other workloads: the record, which takes long to read, is of no interest.
  if (trace.workload.uuid != planned.workload->uuid || !trace.passed()) return std::nullopt;
  if (!config.profile_baseline || !environment.python) return std::nullopt;
  const auto record = model::measurement_record(*trace.evaluation);
  if (!measures_reference(trace, record)) return std::nullopt;
  const bool is_same_work = trace.definition == planned.definition->name &&
                            record.definition_sha256 == model::content_sha256(*planned.definition) &&
                            model::work_key(trace.workload) == model::work_key(*planned.workload);
  const bool is_same_machine = environment.devices.size() == 1 &&
                               is_on(environment.devices.front(), record, trace) &&
                               is_engine_of(*record.reference->engine, *environment.python) &&
                               record.version == version && is_same_setting(record.config, to_json(config));
  const auto calls = static_cast<std::uint64_t>(wanted_calls(config).timed);
  const bool is_well_known = *record.reference->n >= std::min(calls, kEnoughCalls) &&
                             *record.reference->latency_ms <= kSlowestEarlierReferenceMs &&
                             is_recent(record.started_utc, now_us);
  if (!is_same_work || !is_same_machine || !is_well_known) return std::nullopt;
  model::RecordedReference known = *record.reference;
  known.timed_by = known.engine;
  known.timed_utc = record.started_utc;
  return known;
}

}  // namespace fib::bench
