#include "bench/lane.h"

#include <exception>

#include "bench/counted_work.h"
#include "dataset/append.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/oom_kills.h"

namespace fib::bench {
namespace {

using model::ObstacleCode;
using model::Status;

// Of one evaluation; then its workload is put aside.
constexpr int kMostJudgesOfOne = 2;
// In a row, without an evaluation that was made: the machine is broken, and the lane closes.
constexpr int kMostJudges = 20;

std::optional<compile::TorchWay> torch_of(const compile::Artifact& artifact) {
  using Kind = compile::Artifact::Kind;
  if (artifact.kind == Kind::kTorchHeaders) return compile::TorchWay::kHeaders;
  if (artifact.kind == Kind::kTorchExtension) return compile::TorchWay::kReal;
  return std::nullopt;
}

// The secret of one point of the sweep: what a solution has learned of its inputs at one point must not help
// at another. The same run without a sweep has the run's own.
std::string secret_of(const std::string& secret, const SweepPoint& point) {
  if (point.values.is_null()) return secret;
  return util::Sha256().add("point").add(secret).add(point.values.dump()).hex();
}

RunIdentity identity_on(const LaneDevice& device, RunIdentity identity) {
  identity.hardware = device.name;
  identity.device = model::name_of(device.kind);
  identity.uuid = device.uuid;
  identity.multiprocessor = device.multiprocessor;
  return identity;
}

// With a known seed a solution could find there what it computed for the same inputs before.
JitCache* jit_cache_of(const RunState& run, const RunConfig& config) {
  return config.seed ? nullptr : &run.jit_cache;
}

}  // namespace

Lane::Lane(const RunState& run, const LaneDevice& device, const SweepPoint& point, LaneObserver& observer)
    : run_(run),
      device_(device),
      point_(point),
      observer_(observer),
      secret_(secret_of(run.secret, point)),
      processes_(run.session.processes(device, point.config.flush)),
      reference_(processes_, point.config.reference,
                 [&observer](const std::string& text) { observer.warning(text); }),
      workloads_(run, processes_, point.config, secret_),
      worker_(processes_, point.config, device.architecture, jit_cache_of(run, point.config),
              [&observer](const std::string& text) { observer.warning(text); }) {
  run.session.await_ends();  // of a lane before this one, whose ends would disturb
}

Lane::~Lane() {
  auto& session = run_.session;
  if (session.interrupted()) return;
  try {
    session.leave_to_end(workloads_.give_up_judge());
    session.leave_to_end(reference_.give_up());
    session.leave_to_end(worker_.give_up());
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
  }
}

void Lane::run(std::span<const PlannedEvaluation> evaluations, const PlannedEvaluation* upcoming) {
  for (std::size_t i = 0; i < evaluations.size() && !run_.stops(); ++i) {
    const auto& planned = evaluations[i];
    upcoming_ = config().isolated && i + 1 < evaluations.size() ? &evaluations[i + 1] : upcoming;
    if (held_.are_of_another(*planned.solution) || held_.are_due(util::monotonic_ns())) report_held();
    if (close_if_lost() || !closed_.empty()) {
      observer_.not_done(planned, *closed());
    } else {
      evaluate(planned);
    }
    if (run_.count_work == CountWork::kEach || held_.are_due(util::monotonic_ns())) report_held();
  }
}

void Lane::report_held() {
  for (const auto& result : held_.counted(secret_, [this](HeldResult& one) { return fill(one); }))
    report(result);
}

void Lane::evaluate(const PlannedEvaluation& planned) {
  const auto* build = run_.build_of(*planned.solution, device_);
  if (build == nullptr) return observer_.not_done(planned, {ObstacleCode::fib_error, "it was not built"});
  if (const auto obstacle = build->obstacle()) return observer_.not_done(planned, *obstacle);
  const auto& result = build->result;
  observer_.started(planned);
  const util::Timeline::Span span(
      processes_.spawner.timeline(), 0, worker::kCoordinator, "evaluation",
      fmt::format("{} {} {}", planned.definition->name, planned.solution->name, planned.workload->uuid));
  HeldResult evaluation{&planned, &result.artifact, util::utc_timestamp(), {}};
  if (result.outcome == compile::BuildResult::Outcome::kFailed) {
    Measurement& failed = evaluation.measurement;
    failed.status = Status::COMPILE_ERROR;
    failed.note = result.log;
    failed.failure = FailureFacts{build->code};
    failed.durations.build_ms = build->took_ms;
    return report(evaluation);
  }
  if (const auto skipped = run_.failures.skipped(planned)) {
    evaluation.measurement = *skipped;
    return report(evaluation);
  }
  measure(std::move(evaluation), build->took_ms);
}

void Lane::measure(HeldResult result, double build_ms) {
  if (const auto* aside = workloads_.put_aside(result.planned->workload))
    return observer_.not_done(*result.planned, *aside);
  if (!fill(result)) return;
  Measurement& measurement = result.measurement;
  measurement.torch = torch_of(*result.artifact);
  measurement.durations.build_ms = build_ms;
  if (!measurement.count_wanted) return report(result);
  observer_.held(*result.planned);
  held_.add(std::move(result), util::monotonic_ns());
}

bool Lane::fill(HeldResult& result) {
  const bool is_counted = result.measurement.count_wanted.has_value();
  const auto not_done = [&result](const model::Obstacle& obstacle) {
    result.obstacle = obstacle;
    return true;
  };
  try {
    PlannedEvaluation planned = *result.planned;
    // Inputs that no process has seen, whatever became of the evaluation's.
    if (is_counted) planned.set_owner = util::Sha256().add("counted").add(planned.set_owner).hex();
    auto measurement = closed_.empty() ? made(planned, result) : std::nullopt;
    if (run_.session.interrupted()) return false;
    // Whatever was seen of a solution whose worker died with the keeper is no verdict.
    if (close_if_lost() || !measurement) return not_done(*closed());
    if (measurement->status != Status::PASSED) worker_.spoil();
    // A count that finds nothing is no news.
    if (!is_counted || measurement->status != Status::PASSED)
      run_.failures.add(*result.planned, *measurement);
    result.measurement = std::move(*measurement);
    return true;
  } catch (const std::exception& error) {
    // Not an Error where threads or memory have run out: the solution may have them. They come back with its
    // end.
    if (run_.session.interrupted()) return false;
    worker_.kill();
    if (close_if_lost()) return not_done(*closed());
    const auto* aside = workloads_.put_aside(result.planned->workload);
    const auto* none = dynamic_cast<const NoVerdict*>(&error);
    const auto code = aside != nullptr   ? aside->code
                      : none != nullptr  ? none->code
                      : !closed_.empty() ? ObstacleCode::lost_device
                                         : ObstacleCode::machine_error;
    return not_done({code, error.what()});
  }
}

// Nothing when interrupted, or when the lane has closed. A worker that somebody killed is replaced once. Its
// successor gets other inputs: what the first one has seen is worthless to it, should it have killed itself.
// When it is killed too, that is the solution's fault, unless the machine is out of memory.
std::optional<Measurement> Lane::made(const PlannedEvaluation& planned, const HeldResult& result) {
  const auto until_judged = [&](const PlannedEvaluation& wanted) {
    std::optional<Measurement> measurement;
    for (int lost = 0; !measurement && !run_.session.interrupted() && closed_.empty(); ++lost) {
      if (lost == kMostJudgesOfOne) {
        const std::string why =
            fmt::format("the device's judge was lost twice on it: {}", workloads_.judge_lost());
        workloads_.put_aside(wanted.workload, {ObstacleCode::machine_error, why});
        throw Error("{}", why);
      }
      measurement = attempt(wanted, result);
    }
    return measurement;
  };
  const auto was_killed = [&](const std::optional<Measurement>& measurement) {
    return measurement && measurement->status == Status::RUNTIME_ERROR && worker_.killed_by_others();
  };
  const std::uint64_t oom_kills = util::oom_kills();
  auto measurement = until_judged(planned);
  if (!was_killed(measurement) || close_if_lost()) return measurement;
  observer_.warning(fmt::format("{}: its worker was killed by SIGKILL (is the memory full?); it gets another",
                                planned.solution->name));
  worker_.spoil();
  PlannedEvaluation again = planned;
  again.set_owner = util::Sha256().add("again").add(planned.set_owner).hex();
  measurement = until_judged(again);
  if (was_killed(measurement) && util::oom_kills() > oom_kills)
    throw Error("two workers were killed by SIGKILL, while the kernel ended processes for want of memory");
  if (measurement) measurement->note.insert(0, "a first worker was killed by SIGKILL\n");
  return measurement;
}

// Nothing when the judge was lost on the way. Throws Error for whatever else keeps the evaluation from being
// made.
std::optional<Measurement> Lane::attempt(const PlannedEvaluation& planned, const HeldResult& result) {
  try {
    return make_evaluation_run(planned, result);
  } catch (const worker::JudgeLost& lost) {
    lose_judge(lost.what());
    return std::nullopt;
  } catch (const DeviceUnusable& unusable) {
    closed_ = fmt::format("{} cannot be used: {}", device_.name, unusable.what());
    throw Error("{}", closed_);
  }
}

Measurement Lane::make_evaluation_run(const PlannedEvaluation& planned, const HeldResult& result) {
  const auto& artifact = *result.artifact;
  const bool is_counted = result.measurement.count_wanted.has_value();
  const util::Timeline::Span span(is_counted ? processes_.spawner.timeline() : nullptr, 0,
                                  worker::kCoordinator, "counted calls");
  const bool has_served = config().isolated && !(is_counted && worker_.was_loaded_for(*planned.workload));
  const bool is_first = has_served || !worker_.has_loaded(*planned.solution);
  if (is_first) begin_processes(planned, artifact);
  JudgedWorkload& workload = workloads_.open(planned);
  reference_.await();  // the worker's clock is calibrated now
  Measurement measurement = result.measurement;
  const std::int64_t begin = util::monotonic_ns();
  const auto failed = is_first ? worker_.load(planned, artifact) : std::nullopt;
  const std::int64_t loaded = util::monotonic_ns();
  if (is_first && !is_counted) measurement.durations.load_ms = util::in_ms(loaded - begin);
  if (failed) {
    measurement.status = failed->status;
    measurement.note += failed->note;
    measurement.failure = failed->failure;
    measurement.output += failed->output;
    return measurement;
  }
  const RunConfig config = config_for(point_.config, *planned.definition, *planned.workload);
  const EvaluationParts parts{config,
                              device_,
                              workloads_.judge(),
                              reference_,
                              worker_.client(),
                              worker_.facts(),
                              workload,
                              planned,
                              artifact.kernels,
                              secret_,
                              util::monotonic_ns,
                              [this] { worker_.await_next_device(); },
                              run_.count_work != CountWork::kNone};
  try {
    if (is_counted) {
      count_work(parts, measurement);
    } else {
      EvaluationRun run(parts);
      // Now that the reference has its guest.
      if (is_first) begin_next_worker(artifact);
      const auto before = measurement.durations;
      measurement = run.run();
      measurement.durations.build_ms = before.build_ms;
      measurement.durations.load_ms = before.load_ms;
      measurement.durations.evaluate_ms = util::in_ms(util::monotonic_ns() - loaded);
      measurement.earlier_reference = run_.earlier_reference(planned);
    }
    workloads_.note_success();
    return measurement;
  } catch (const ReferenceError& error) {
    if (!run_.session.interrupted()) workloads_.put_aside(planned.workload, {error.code, error.what()});
    throw;
  }
}

// What a first evaluation waits for is mostly a GPU's contexts: the judge's, the worker's and the reference's
// are made side by side. The worker before has ended then.
void Lane::begin_processes(const PlannedEvaluation& planned, const compile::Artifact& artifact) {
  worker_.begin(artifact);
  if (device_.is_cuda()) reference_.begin(*planned.definition);
}

// Where the keeper of all processes has ended the device is not to blame.
std::optional<model::Obstacle> Lane::closed() const {
  if (closed_.empty()) return std::nullopt;
  const auto code = processes_.spawner.lost() ? ObstacleCode::machine_error : ObstacleCode::lost_device;
  return model::Obstacle{code, closed_};
}

bool Lane::close_if_lost() {
  if (!processes_.spawner.lost()) return false;
  closed_ = processes_.spawner.loss();
  return true;
}

void Lane::lose_judge(const std::string& reason) {
  if (workloads_.lose_judge(reason) >= kMostJudges)
    closed_ = fmt::format("the device's judge was lost {} times in a row, its lane is closed: {}",
                          kMostJudges, workloads_.judge_lost());
  worker_.spoil();
}

void Lane::begin_next_worker(const compile::Artifact& current) {
  const auto* build = upcoming_ != nullptr ? run_.build_of(*upcoming_->solution, device_) : nullptr;
  if (build != nullptr && build->result.outcome == compile::BuildResult::Outcome::kBuilt)
    worker_.begin_next(current, build->result.artifact);
}

void Lane::report(const HeldResult& result) {
  const PlannedEvaluation& planned = *result.planned;
  if (result.obstacle) return observer_.not_done(planned, *result.obstacle);
  const util::Timeline::Span span(processes_.spawner.timeline(), 0, worker::kCoordinator, "write the trace");
  const auto evaluation = make_evaluation(
      result.measurement, planned, config_for(config(), *planned.definition, *planned.workload),
      identity_on(device_, run_.identity), result.started_utc, &run_.logs);
  try {
    observer_.finished(planned, evaluation);
  } catch (const dataset::DiskFull& error) {
    if (!worker_.kill()) throw;
    observer_.warning(
        fmt::format("{}; tried again without the solution's worker and its files", error.what()));
    observer_.finished(planned, evaluation);
  }
}

}  // namespace fib::bench
