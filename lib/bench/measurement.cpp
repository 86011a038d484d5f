#include "bench/measurement.h"

#include <algorithm>

#include "bench/claims.h"
#include "bench/interval.h"
#include "bench/kernel_records.h"
#include "compile/builder.h"
#include "compile/torch_headers.h"
#include "eval/statistics.h"
#include "feedback/baseline.h"
#include "feedback/hint.h"
#include "feedback/reward.h"
#include "feedback/truncated.h"
#include "model/measurement_record.h"
#include "roofline/reached.h"
#include "util/clock.h"
#include "util/utf8.h"

namespace fib::bench {
namespace {

using model::Status;
using nlohmann::ordered_json;

constexpr int kTraceSchemaVersion = 2;

model::Performance performance_of(const Measurement& m, const RunConfig& config) {
  model::Performance performance;
  performance.latency_ms = latency_of(m);
  // A ratio across devices would be a lie.
  if (m.earlier_reference) {
    performance.reference_latency_ms = m.earlier_reference->latency_ms.value_or(0);
    performance.speedup_factor = performance.reference_latency_ms / performance.latency_ms;
  } else if (times_reference(config) && m.on_cuda == m.reference_on_cuda && !m.reference_ms.empty()) {
    performance.reference_latency_ms = eval::median(m.reference_ms);
    performance.speedup_factor = performance.reference_latency_ms / performance.latency_ms;
  }
  return performance;
}

std::string log_of(const Measurement& m) {
  std::string log = util::valid_utf8(m.output);
  if (!m.note.empty() && !log.empty() && !log.ends_with('\n')) log += '\n';
  return log + util::valid_utf8(m.note);
}

model::RecordedReference reference_record(const Measurement& m, const RunConfig& config,
                                          const std::string& version) {
  model::RecordedReference record = m.earlier_reference.value_or(model::RecordedReference());
  record.engine = m.engine;
  record.version = version;
  record.device = m.reference_on_cuda ? "cuda" : "cpu";
  if (!m.earlier_reference && times_reference(config) && !m.reference_ms.empty()) {
    record.latency_ms = eval::median(m.reference_ms);
    record.n = m.reference_ms.size();
    record.q25_ms = eval::quantile(m.reference_ms, 0.25);
    record.q75_ms = eval::quantile(m.reference_ms, 0.75);
    record.sets = m.reference_is_shared ? "shared" : "own";
  }
  return record;
}

void add_second_clock(model::RecordedWitness& witness, const Measurement& m) {
  if (!m.no_witness.empty()) witness.missing = m.no_witness;
  if (m.witness_ms.empty()) return;
  witness.device_clock = name_of(m.witness_clock);
  witness.device_median_ms = eval::median(m.witness_ms);
  witness.device_calls = m.witness_ms.size();
}

std::optional<model::RecordedCounters> counters_record(const Measurement& m) {
  if (!m.counted) return std::nullopt;
  const auto& counted = *m.counted;
  model::RecordedCounters record;
  if (!counted.missing.empty()) {
    record.missing = counted.missing;
  } else {
    record.calls = counted.calls;
    record.busy_ms = counted.busy_ms;
    record.engine_ms = counted.engine_ms;
    record.bus_bytes = counted.bus_bytes;
    record.own_ms = counted.own_ms;
    record.claimed_ms = counted.claimed_ms;
  }
  return record;
}

model::RecordedWitness witness_record(const Measurement& m) {
  model::RecordedWitness witness;
  witness.clock = "coordinator";
  witness.envelope_median_ms = eval::median(m.envelopes_ms);
  witness.unexplained_median_ms = eval::median(joined(m.unexplained_ms));
  witness.round_trip_ms = m.round_trip_ms;
  if (m.overhead) {
    const auto& overhead = *m.overhead;
    witness.overhead =
        model::RecordedOverhead{overhead.gap_ms, overhead.prepare_ms, overhead.collect_ms + overhead.rest_ms,
                                overhead.cpu_ms, overhead.slack_ms};
  }
  if (!m.added_ms.empty()) {
    witness.unclaimed_median_ms = eval::median(joined(m.unclaimed_ms));
    witness.added_ms = m.added_ms;
  }
  if (m.on_cuda) add_second_clock(witness, m);
  witness.beyond_events_ms = beyond_events_ms(m);
  witness.counters = counters_record(m);
  return witness;
}

model::RecordedInterval interval_record(const Measurement& m) {
  auto interval = interval_of(m.trials_ms, m.on_cuda, m.kernels);
  if (m.latency_is_mean) interval.calls_ms = eval::mean_half_width(joined(m.trials_ms));
  const double latency = latency_of(m);
  return {std::max(0.0, latency - interval.half_ms()), latency + interval.half_ms(), interval.calls_ms,
          interval.trials_ms, interval.processes_ms};
}

void add_cuda_timing(model::MeasurementRecord& record, const Measurement& m) {
  record.host_median_ms = eval::median(m.host_ms);
  if (!m.clocks_mhz.empty()) record.sm_clock_median_mhz = eval::median(m.clocks_mhz);
  record.slow_calls = m.slow_calls;
  record.dropped_calls = m.dropped_calls;
  if (m.no_witness.empty()) record.launches = model::RecordedLaunches{m.kernels, m.copies, m.streams};
  if (m.segments > 0) record.segments = m.segments;
  if (m.empty_pair_ns > 0) record.calibration = model::RecordedCalibration{m.empty_pair_ns};
}

void add_timing(model::MeasurementRecord& record, const Measurement& m) {
  const auto all = joined(m.trials_ms);
  if (all.empty()) return;
  if (m.latency_is_mean) record.latency_is = "mean";
  record.trial_medians_ms = medians(m.trials_ms);
  record.quantiles_ms = eval::quantiles21(all);
  record.n = all.size();
  if (m.status == Status::PASSED) record.interval = interval_record(m);
  record.cv = eval::coefficient_of_variation(all);
  record.clock = name_of(m.clock);
  if (m.on_cuda) add_cuda_timing(record, m);
  record.witness = witness_record(m);
  record.flush = m.device.flush;
}

eval::Tolerance tolerance_of(const PlannedEvaluation& planned, const RunConfig& config) {
  return tolerance_of(config, *planned.workload,
                      eval::usual_matched_ratio(planned.rule, *planned.definition));
}

// Whether the share of elements that must match is another one than 1 because of the definition.
bool is_usual_ratio(const PlannedEvaluation& planned, const RunConfig& config) {
  return !config.required_matched_ratio && eval::usual_matched_ratio(planned.rule, *planned.definition) < 1;
}

// Where the configuration does not say all: of a workload with a tolerance of its own, and where the
// definition decides.
model::RecordedTolerance tolerance_record(const eval::Tolerance& tolerance) {
  return {tolerance.atol, tolerance.rtol, tolerance.required_matched_ratio, tolerance.max_error};
}

// correctness.extra: what the rule says of all calls, and the matched ratio where a lower one than 1 may do.
std::optional<ordered_json> extra_of(const Measurement& m, const PlannedEvaluation& planned,
                                     const RunConfig& config) {
  ordered_json extra = m.judged.empty() ? ordered_json::object() : ordered_json::parse(m.judged);
  const bool may_be_lower =
      eval::records_matched_ratio(planned.rule) || tolerance_of(planned, config).required_matched_ratio < 1;
  if (eval::needs_expected(planned.rule) && may_be_lower) extra["matched_ratio"] = m.matched_ratio;
  return extra.empty() ? std::nullopt : std::optional(std::move(extra));
}

model::RecordedSandbox sandbox_record(const Measurement& m, const RunConfig& config) {
  model::RecordedSandbox record;
  record.mode = sandbox::name_of(config.sandbox);
  record.mounts = m.sandbox.mounts;
  record.landlock = m.sandbox.landlock;
  record.system_calls = config.sandbox != sandbox::Mode::kOff;
  record.memory_group = m.memory_group;
  return record;
}

// What is known before the first call.
model::MeasurementRecord identity_record(const PlannedEvaluation& planned, const RunConfig& config,
                                         const RunIdentity& identity, const std::string& started_utc) {
  model::MeasurementRecord record;
  record.schema_version = kTraceSchemaVersion;
  record.run_id = identity.run_id;
  record.build_id = identity.build_id;
  record.version = identity.version;
  record.solution_sha256 = planned.solution_sha256;
  record.definition_sha256 = model::content_sha256(*planned.definition);
  record.config = to_json(config);
  record.device.emplace().kind = identity.device;
  if (!identity.uuid.empty()) record.device->uuid = identity.uuid;
  record.started_utc = started_utc;
  record.sweep = planned.sweep;
  record.tags = identity.tags;
  if (identity.load) record.load = {identity.load->average, identity.load->cores};
  record.seeded = identity.seeded;
  record.rule = eval::name_of(planned.rule);
  const EvalSettings& settings = config.settings;
  const bool has_own = settings.rtol || settings.atol || settings.required_matched_ratio;
  if (planned.workload->tolerance || has_own || is_usual_ratio(planned, config))
    record.tolerance = tolerance_record(tolerance_of(planned, config));
  return record;
}

model::MeasurementRecord record_of(const Measurement& m, const PlannedEvaluation& planned,
                                   const RunConfig& config, const RunIdentity& identity,
                                   const std::string& started_utc) {
  model::MeasurementRecord record = identity_record(planned, config, identity, started_utc);
  add_timing(record, m);
  record.calls = {static_cast<std::uint64_t>(m.plan.trials), static_cast<std::uint64_t>(m.plan.warmup),
                  static_cast<std::uint64_t>(m.plan.timed), std::nullopt};
  if (m.status == Status::PASSED) record.calls->ended_by = name_of(m.ended_by);
  record.sets = m.sets;
  record.sets_shared = m.sets_shared;
  record.inputs_fixed = m.inputs_fixed;
  if (!m.synthesized.empty()) record.synthesized = m.synthesized;
  record.inputs_changed = m.inputs_changed;
  if (!m.zeros_pass.empty()) record.zeros_pass = m.zeros_pass;
  record.private_files = m.sandbox.mounts;
  if (m.torch) record.torch = compile::name_of(*m.torch);
  record.sandbox = sandbox_record(m, config);
  record.reference = reference_record(m, config, identity.version);
  if (m.on_cuda && !m.kernel_uses.empty()) {
    record.resources = kernel_records(m.kernel_uses, *planned.solution, identity.multiprocessor);
    if (are_cut(m.kernel_uses, m.kernels)) record.resources_cut = true;
  }
  if (!m.device.state.empty()) record.device_state = ordered_json::parse(m.device.state);
  return record;
}

model::RecordedRoofline roofline_record(const roofline::Reached& reached) {
  model::RecordedRoofline record{reached.work.bytes,  reached.work.flops, reached.bytes_per_s,
                                 reached.flops_per_s, std::nullopt,       std::nullopt,
                                 reached.share};
  if (reached.bound) {
    record.bound_ms = reached.bound->ms;
    record.binds = roofline::name_of(reached.bound->binds);
  }
  return record;
}

// What programs and people do next about a result, and whether they may use it again.
void add_feedback(model::MeasurementRecord& record, const std::optional<roofline::Reached>& reached,
                  const PlannedEvaluation& planned, const model::Evaluation& evaluation, bool log_is_cut,
                  const feedback::Circumstances& circumstances) {
  record.truncated = feedback::truncated(record, log_is_cut);
  record.hint = feedback::hint_of(record, reached);
  record.reward_components = feedback::reward_of(evaluation, record);
  record.baseline = feedback::baseline_of(record.reward_components->speedup.has_value(), record);
  record.request_digest = feedback::request_digest(record, *planned.workload, circumstances);
  if (!circumstances.tools.empty())
    record.environment_digest = feedback::environment_digest(record, evaluation.environment, circumstances);
}

// fib; TVM-FFI's headers where they were used; for what Python calls, also what the format's reference
// implementation names: torch, triton, tilelang and torch's CUDA, where they are installed.
model::Ordered<std::string> libs_of(const model::Solution& solution, const RunIdentity& identity,
                                    const Measurement& m) {
  model::Ordered<std::string> libs = {{"fib", identity.version}};
  if (!identity.tvm_ffi.empty() && compile::is_tvm_ffi(solution) && compile::includes_tvm_ffi(solution))
    libs.emplace_back("tvm_ffi", identity.tvm_ffi);
  if (m.torch == compile::TorchWay::kHeaders)
    libs.emplace_back("fib_torch_headers", compile::kTorchHeadersVersion);
  if (!identity.python || !(compile::needs_python(solution) || m.torch == compile::TorchWay::kReal))
    return libs;
  const auto& python = *identity.python;
  for (const char* name : {"torch", "triton", "tilelang"}) {
    if (python.has(name)) libs.emplace_back(name, python.packages.at(name));
  }
  if (!python.torch_cuda.empty()) libs.emplace_back("cuda", python.torch_cuda);
  return libs;
}

}  // namespace

std::string name_of(EndedBy rule) {
  switch (rule) {
    case EndedBy::kIterations:
      return "iterations";
    case EndedBy::kMostCalls:
      return "most-calls";
    case EndedBy::kNoise:
      return "noise";
    case EndedBy::kBudget:
      break;
  }
  return "budget";
}

double latency_of(const Measurement& m) {
  return eval::mean(m.latency_is_mean ? joined(m.trials_ms) : medians(m.trials_ms));
}

std::vector<double> medians(const std::vector<std::vector<double>>& trials) {
  std::vector<double> result;
  for (const auto& trial : trials) {
    if (!trial.empty()) result.push_back(eval::median(trial));
  }
  return result;
}

std::vector<double> joined(const std::vector<std::vector<double>>& trials) {
  std::vector<double> all;
  for (const auto& trial : trials) all.insert(all.end(), trial.begin(), trial.end());
  return all;
}

model::Evaluation make_evaluation(const Measurement& m, const PlannedEvaluation& planned,
                                  const RunConfig& config, const RunIdentity& identity,
                                  const std::string& started_utc, LogBudget* logs) {
  model::Evaluation evaluation;
  evaluation.status = m.status;
  evaluation.environment.hardware = identity.hardware;
  evaluation.environment.libs = libs_of(*planned.solution, identity, m);
  evaluation.timestamp = util::utc_timestamp();
  evaluation.log = log_of(m);
  std::optional<model::RecordedFailure> failure;  // of the log before it is cut
  if (m.failure) failure = failure_record(*m.failure, m.status, evaluation.log, planned.solution->sources);
  bool log_is_cut = false;
  if (logs != nullptr) {
    const std::size_t size = evaluation.log.size();
    const auto room = m.status == Status::COMPILE_ERROR ? logs->take_of_build(*planned.solution, size)
                                                        : logs->take(*planned.solution, size);
    log_is_cut = size > room;
    evaluation.log = cut_log(std::move(evaluation.log), room);
  }
  if (m.status == Status::PASSED || m.status == Status::INCORRECT_NUMERICAL) {
    model::Correctness correctness;
    correctness.max_relative_error = m.max_relative_error;
    correctness.max_absolute_error = m.max_absolute_error;
    correctness.extra = extra_of(m, planned, config);
    evaluation.correctness = correctness;
  }
  auto record = record_of(m, planned, config, identity, started_utc);
  std::optional<roofline::Reached> reached;
  if (m.status == Status::PASSED) {
    evaluation.performance = performance_of(m, config);
    // Nothing where the workload's axes do not fit the definition.
    reached = roofline::reached(*planned.definition, *planned.workload, identity.hardware,
                                evaluation.performance->latency_ms);
    if (reached) record.roofline = roofline_record(*reached);
  }
  record.durations = m.durations;
  record.failure = std::move(failure);
  add_feedback(record, reached, planned, evaluation, log_is_cut, identity.circumstances);
  evaluation.fib = model::to_json(record);
  return evaluation;
}

}  // namespace fib::bench
