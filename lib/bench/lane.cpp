#include "bench/lane.h"

#include <algorithm>

#include "dataset/blobs.h"
#include "util/clock.h"
#include "util/machine.h"

namespace fib::bench {
namespace {

using model::Status;
using worker::Failure;

constexpr int kMaxJudgesLost = 2;
constexpr const char* kLaneClosed = "the device's judge ended twice; its lane is closed";
constexpr std::int64_t kLoadLimitNs = std::int64_t{60} * 1'000'000'000;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr std::uint64_t kFileSizeLimit = kGiB / 4;

// What a solution may allocate: half the machine's memory, within reason.
std::uint64_t data_limit() {
  return std::clamp<std::uint64_t>(util::physical_memory() / 2, 2 * kGiB, 64 * kGiB);
}

std::map<std::string, std::filesystem::path> blobs_of(const PlannedEvaluation& planned,
                                                      const std::filesystem::path& root,
                                                      dataset::Confinement confinement) {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& [name, spec] : planned.workload->inputs) {
    if (spec.kind != model::InputKind::safetensors) continue;
    if (auto blob = dataset::resolve_blob(root, planned.definition->name, spec.path, confinement))
      files[name] = blob->file;
  }
  return files;
}

}  // namespace

Lane::Lane(const LaneSetup& setup, LaneObserver& observer)
    : setup_(setup),
      observer_(observer),
      reference_(setup.spawner, setup.children, setup.reference_threads, setup.device.uuid) {}

Lane::~Lane() = default;

void Lane::run(std::span<const PlannedEvaluation> evaluations) {
  for (const auto& planned : evaluations) {
    if (setup_.interrupted) return;
    if (!closed_.empty()) {
      observer_.not_done(planned, closed_);
    } else {
      evaluate(planned);
    }
  }
}

void Lane::evaluate(const PlannedEvaluation& planned) {
  const auto build = setup_.builds.find({planned.solution, setup_.device.architecture});
  if (build == setup_.builds.end()) return observer_.not_done(planned, "it was not built");
  if (!build->second.error.empty()) return observer_.not_done(planned, build->second.error);
  const auto& result = build->second.result;
  if (result.outcome == compile::BuildResult::Outcome::kUnsupported)
    return observer_.not_done(planned, result.log);
  observer_.started(planned);
  if (result.outcome == compile::BuildResult::Outcome::kFailed) {
    Measurement failed;
    failed.status = Status::COMPILE_ERROR;
    failed.note = result.log;
    return report(planned, failed, util::utc_timestamp());
  }
  measure(planned, result.artifact);
}

void Lane::measure(const PlannedEvaluation& planned, const compile::Artifact& artifact) {
  if (const auto known = unusable_.find(planned.workload); known != unusable_.end()) {
    return observer_.not_done(planned, known->second);
  }
  const std::string started = util::utc_timestamp();
  std::optional<Measurement> measurement;
  try {
    while (!measurement && !setup_.interrupted && closed_.empty()) measurement = attempt(planned, artifact);
  } catch (const Error& error) {
    if (setup_.interrupted) return;
    running_ = nullptr;
    return observer_.not_done(planned, error.what());
  }
  if (setup_.interrupted) return;
  if (!measurement) return observer_.not_done(planned, closed_);
  // After any failure the next workload gets a fresh worker.
  if (measurement->status != Status::PASSED || setup_.config.isolated) running_ = nullptr;
  report(planned, *measurement, started);
}

// Nothing when the judge was lost on the way. Throws Error for whatever else keeps the evaluation from being
// made.
std::optional<Measurement> Lane::attempt(const PlannedEvaluation& planned,
                                         const compile::Artifact& artifact) {
  try {
    return make_evaluation_run(planned, artifact);
  } catch (const worker::JudgeLost&) {
    lose_judge();
    return std::nullopt;
  }
}

// What is wrong with the workload itself is remembered for the other solutions.
Measurement Lane::make_evaluation_run(const PlannedEvaluation& planned, const compile::Artifact& artifact) {
  JudgedWorkload* workload = nullptr;
  try {
    workload = &judged(planned);
  } catch (const worker::JudgeLost&) {
    throw;
  } catch (const Error& error) {
    unusable_[planned.workload] = error.what();
    throw;
  }
  Measurement measurement;
  if (!start_solution(planned, artifact, measurement)) return measurement;
  try {
    return EvaluationRun(setup_.config, setup_.device, *judge_, reference_, solution_, *workload, planned,
                         artifact.kernels)
        .run();
  } catch (const ReferenceError& error) {
    if (!setup_.interrupted) unusable_[planned.workload] = error.what();
    throw;
  }
}

void Lane::lose_judge() {
  if (++judges_lost_ >= kMaxJudgesLost) closed_ = kLaneClosed;
  judge_.reset();
  workloads_.clear();
  running_ = nullptr;
}

worker::UseDevice Lane::use_device() const {
  return {setup_.device.uuid, setup_.device.kernels_path, setup_.config.flush, setup_.children.awake_us};
}

void Lane::start_judge() {
  judge_ = std::make_unique<worker::JudgeClient>(setup_.spawner, setup_.children);
  if (!setup_.device.is_cuda()) return;
  try {
    judge_->use(use_device());
  } catch (const worker::JudgeLost&) {
    throw;
  } catch (const Error& error) {
    closed_ = fmt::format("{} cannot be used: {}", setup_.device.name, error.what());
    throw Error("{}", closed_);
  }
}

JudgedWorkload& Lane::judged(const PlannedEvaluation& planned) {
  if (!judge_) start_judge();
  if (const auto known = workloads_.find(planned.workload); known != workloads_.end()) return known->second;
  worker::JudgeDocument document;
  document.definition = *planned.definition;
  document.workload = *planned.workload;
  const auto confinement =
      setup_.config.allow_outside ? dataset::Confinement::none : dataset::Confinement::to_root;
  document.blobs = blobs_of(planned, setup_.datasets[planned.dataset].root, confinement);
  document.secret = setup_.secret;
  document.tolerance = tolerance_of(setup_.config, *planned.workload);
  document.memory_budget_bytes = setup_.config.memory_budget_bytes;
  return workloads_.emplace(planned.workload, JudgedWorkload{judge_->open(document)}).first->second;
}

// Makes sure that the solution's worker runs with the solution loaded; false with the reason in `failed`.
bool Lane::start_solution(const PlannedEvaluation& planned, const compile::Artifact& artifact,
                          Measurement& failed) {
  if (running_ == planned.solution && solution_.client && solution_.client->alive()) return true;
  running_ = nullptr;
  solution_.client.reset();
  solution_.client = std::make_unique<worker::WorkerClient>(setup_.spawner, setup_.children,
                                                            "the solution's worker", kFileSizeLimit);
  const std::int64_t deadline = util::monotonic_ns() + kLoadLimitNs;
  auto trip = solution_.client->ping(deadline);
  if (auto* failure = std::get_if<Failure>(&trip)) throw Error("{}", failure->text);
  solution_.round_trip_ms = static_cast<double>(std::get<std::int64_t>(trip)) / 1e6;
  worker::Load request;
  const bool kernels = artifact.kind == compile::Artifact::Kind::kKernels;
  request.kind = kernels ? worker::TargetKind::kKernels : worker::TargetKind::kSharedLibrary;
  request.device = use_device();
  request.path = artifact.file;
  request.symbol = artifact.symbol;
  request.returns_status = artifact.returns_status;
  request.data_limit_bytes = data_limit();
  const auto loaded = solution_.client->load(request, deadline);
  if (const auto* failure = std::get_if<Failure>(&loaded)) {
    failed.status = failure->kind == Failure::Kind::kTimeout ? Status::TIMEOUT : Status::RUNTIME_ERROR;
    failed.note = fmt::format("{} while the solution was loaded\n", failure->text);
    failed.output = solution_.client->take_output();
    return false;
  }
  solution_.private_files = std::get<worker::Loaded>(loaded).private_files;
  solution_.no_tracer = std::get<worker::Loaded>(loaded).no_tracer;
  running_ = planned.solution;
  return true;
}

void Lane::report(const PlannedEvaluation& planned, const Measurement& measurement,
                  const std::string& started_utc) {
  observer_.finished(planned,
                     make_evaluation(measurement, planned, setup_.config, setup_.identity, started_utc));
}

}  // namespace fib::bench
