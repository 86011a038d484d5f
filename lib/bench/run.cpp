#include "bench/run.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "bench/lanes.h"
#include "bench/python_code.h"
#include "bench/run_record.h"
#include "bench/secret.h"
#include "bench/solution_files.h"
#include "bench/trace_sink.h"
#include "util/clock.h"
#include "util/machine.h"

namespace fib::bench {
namespace {

// Every solution once, in the plan's order, for every architecture.
std::vector<BuildJob> jobs_of(const Plan& plan, const Environment& environment, const RunConfig& config) {
  std::set<std::string> architectures;
  for (const auto& device : environment.devices) architectures.insert(device.architecture);
  std::vector<BuildJob> jobs;
  for (const auto& architecture : architectures) {
    const auto target = build_target(environment, architecture, config);
    std::set<const model::Solution*> known;
    for (const auto& planned : plan.evaluations) {
      if (!known.insert(planned.solution).second) continue;
      jobs.push_back({planned.solution, planned.definition, target});
    }
  }
  return jobs;
}

// What is left of the cores when each job has one is for more compilers of a job; four at most, since nvcc
// takes 1 GB and more, and a compiler of torch's headers 1.5 GB.
void share_compilers(std::vector<BuildJob>& jobs) {
  constexpr std::size_t kMostAtOnce = 4;
  for (auto& job : jobs)
    job.target.compilers =
        static_cast<unsigned>(std::clamp<std::size_t>(util::usable_cores() / jobs.size(), 1, kMostAtOnce));
}

// Turns a lane's reports into traces on disk and counts.
class Recorder : public LaneObserver {
 public:
  Recorder(RunReport& report, TraceSink& sink, RunObserver& observer, EarlyEnd& early_end, std::size_t total)
      : report_(report), sink_(sink), observer_(observer), early_end_(early_end), total_(total) {}

  void started(const PlannedEvaluation& planned) override {
    const std::lock_guard lock(mutex_);
    observer_.evaluation_started(planned, done(), total_);
  }
  void held(const PlannedEvaluation& planned) override {
    const std::lock_guard lock(mutex_);
    held_.insert(&planned);
  }
  void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) override {
    const std::lock_guard lock(mutex_);
    sink_.append(planned, evaluation);
    held_.erase(&planned);
    ++report_.finished;
    if (evaluation.status == model::Status::PASSED) {
      ++report_.passed;
    } else {
      ++report_.failed[std::string(model::name_of(evaluation.status))];
    }
    observer_.evaluation_finished(planned, evaluation, done(), total_);
    early_end_.finished(planned, evaluation);
  }
  void not_done(const PlannedEvaluation& planned, const model::Obstacle& obstacle) override {
    const std::lock_guard lock(mutex_);
    held_.erase(&planned);
    report_.not_done.push_back({planned, obstacle});
  }
  void warning(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    observer_.warning(text);
  }

  // Once all lanes have ended: what an interrupt has left held.
  void warn_of_held() {
    if (held_.empty()) return;
    observer_.warning(
        fmt::format("{} made, and not held against the device's counters yet, which is done when all of a "
                    "solution's are: --resume makes {} again",
                    held_.size() == 1 ? "1 evaluation was" : fmt::format("{} evaluations were", held_.size()),
                    held_.size() == 1 ? "it" : "them"));
  }

 private:
  [[nodiscard]] std::size_t done() const { return report_.finished + report_.not_done.size() + held_.size(); }
  std::mutex mutex_;
  std::set<const PlannedEvaluation*> held_;
  RunReport& report_;
  TraceSink& sink_;
  RunObserver& observer_;
  EarlyEnd& early_end_;
  std::size_t total_;
};

Sweep with_defaults(Sweep sweep) {
  for (auto& [config, values] : sweep.points) {
    if (config.memory_budget_bytes == 0) config.memory_budget_bytes = util::physical_memory() / 8;
  }
  return sweep;
}

RunIdentity identity_of(const Environment& environment, const RunRequest& request, const RunConfig& config) {
  RunIdentity identity;
  identity.run_id = util::utc_compact() + "-" + std::to_string(::getpid());
  identity.build_id = worker::build_id();
  identity.version = request.version;
  identity.seeded = config.seed.has_value();
  identity.python = environment.python;
  if (environment.tvm_ffi) identity.tvm_ffi = environment.tvm_ffi->version;
  identity.tags = request.tags;
  identity.load = request.load;
  identity.circumstances = {name_of(request.count_work), request.tools, {}, config.seed.value_or("")};
  for (const auto& folder : config.sandbox_readable)
    identity.circumstances.readable.push_back(folder.string());
  return identity;
}

bool is_busy(const util::MachineLoad& load) {
  constexpr double kRounding = 0.05;  // what is printed shall be above the cores
  return load.average >= load.cores + kRounding;
}

// How the run ended, once its lanes have.
void complete(RunReport& report, const Session& session, const Plan& plan, const EarlyEnd& early_end) {
  report.interrupted = session.interrupted();
  if (session.spawner().lost() && !report.interrupted) report.ended_early = session.spawner().loss();
  report.not_begun = plan.evaluations.size() - report.finished - report.not_done.size();
  const auto cause = early_end.cause();
  const bool is_ended = cause == EarlyEnd::Cause::failure || (cause && report.not_begun > 0);
  if (is_ended && !report.interrupted && report.ended_early.empty()) {
    report.limit = cause;
    report.ended_early = early_end.text();
  }
}

}  // namespace

RunReport run(Session& session, const std::vector<dataset::Dataset>& datasets, const Plan& plan,
              const Sweep& wanted, const RunRequest& request, RunObserver& observer) {
  const Sweep sweep = with_defaults(wanted);
  const RunConfig& config = sweep.points.front().config;  // for what is the same at all points
  const Environment& environment = session.environment();
  if (config.sandbox == sandbox::Mode::kStrict) expect_whole_sandbox(environment.program);
  const std::string secret = config.seed.value_or(make_secret());
  EarlyEnd early_end(request.limits, util::monotonic_ns);
  FailureCounts failures(request.limits.skip_after);
  RunIdentity identity = identity_of(environment, request, config);
  RunReport report;
  report.run_id = identity.run_id;
  const RunRecorder record(datasets, plan, sweep, request, environment, identity, secret);
  TraceSink sink(datasets, request.save_results, [&](const std::string& text) { observer.warning(text); });
  sink.expect_room(plan);
  session.begin(config);

  // On the CPU a build would disturb another run's measurements. A GPU's lock is taken by its lane.
  auto& spawner = session.spawner();
  bool has_waited = false;
  const auto waiting = [&](const std::string& name) { observer.waiting_for_device(name); };
  const auto wait_first = [&](const std::string& name) {
    has_waited = true;
    waiting(name);
  };
  const auto gives_up = [&] { return session.interrupted() || spawner.lost() || early_end.cause(); };
  if (!environment.is_cuda() && !session.take(environment.devices.front(), wait_first, gives_up)) {
    if (spawner.lost() && !session.interrupted()) throw worker::KeeperLost("{}", spawner.loss());
    complete(report, session, plan, early_end);
    report.run_id.clear();  // nothing was tried: it has no record
    return report;
  }
  if (has_waited) identity.load = util::machine_load();
  if (identity.load && is_busy(*identity.load)) observer.machine_is_busy(*identity.load);
  const bool references_run_in_python = config.reference != ReferenceEngine::kNative &&
                                        why_no_torch(environment.python, environment.is_cuda()).empty();
  session.prepare(guests_of(plan, references_run_in_python));
  auto jobs = jobs_of(plan, environment, config);
  share_compilers(jobs);
  std::size_t built = 0;
  const auto builds = [&] {
    const util::Timeline::Span span(spawner.timeline(), 0, worker::kCoordinator, "all builds");
    return build_all(
        spawner, session.children(), jobs, environment.cache, config.build_timeout_s, util::usable_cores(),
        [&](const auto& solution, const auto& outcome) {
          observer.built(solution, outcome, ++built, jobs.size());
        },
        [&] { return session.interrupted() || early_end.cause(); });
  }();
  session.begin_measuring();

  Recorder recorder(report, sink, observer, early_end, plan.evaluations.size());
  JitCache jit_cache(environment.cache);
  LogBudget logs;
  const RunState state{
      session,   datasets,  sweep,    secret, identity,           builds,
      jit_cache, early_end, failures, logs,   request.count_work, request.earlier_references};
  if (!session.interrupted()) Lanes(state, plan, recorder, waiting).run();
  recorder.warn_of_held();
  complete(report, session, plan, early_end);
  if (request.save_results) {
    session.await_ends();  // a worker's files may fill the disk
    record.write(report);
  }
  return report;
}

}  // namespace fib::bench
