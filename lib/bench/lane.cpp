#include "bench/lane.h"

#include <algorithm>
#include <exception>

#include "bench/artifact_load.h"
#include "bench/input_files.h"
#include "bench/memory_limits.h"
#include "bench/python_code.h"
#include "bench/sealed_file.h"
#include "dataset/append.h"
#include "synthesis/inputs.h"
#include "util/clock.h"
#include "util/files.h"
#include "util/hash.h"
#include "util/machine.h"
#include "util/oom_kills.h"

namespace fib::bench {
namespace {

using model::Status;
using worker::Failure;

constexpr int kMaxJudgesLost = 2;
constexpr std::int64_t kLoadLimitNs = std::int64_t{60} * 1'000'000'000;
constexpr std::int64_t kJitLimitNs = std::int64_t{10} * 1'000'000'000;

bool runs_in_guest(const compile::Artifact& artifact) {
  return artifact.kind == compile::Artifact::Kind::kPythonModule ||
         artifact.kind == compile::Artifact::Kind::kTorchExtension;
}

WorkerKind kind_of(const compile::Artifact& artifact) {
  if (runs_in_guest(artifact)) return {true};
  return {false, artifact.runtime.string()};
}

std::optional<compile::TorchWay> torch_of(const compile::Artifact& artifact) {
  using Kind = compile::Artifact::Kind;
  if (artifact.kind == Kind::kTorchHeaders) return compile::TorchWay::kHeaders;
  if (artifact.kind == Kind::kTorchExtension) return compile::TorchWay::kReal;
  return std::nullopt;
}

}  // namespace

Lane::Lane(const LaneSetup& setup, LaneObserver& observer)
    : setup_(setup), observer_(observer), reference_(reference_setup()) {}

ReferenceSetup Lane::reference_setup() const {
  ReferenceSetup reference{setup_.spawner, setup_.children, setup_.reference_threads, setup_.config.reference,
                           use_device()};
  if (setup_.no_torch.empty()) {
    reference.guests = setup_.guests;
    reference.warn = [this](const std::string& text) { observer_.warning(text); };
  } else {
    reference.no_guests = setup_.no_torch;
  }
  return reference;
}

Lane::~Lane() {
  if (setup_.interrupted) return;
  try {
    end_solution();
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
  }
}

void Lane::run(std::span<const PlannedEvaluation> evaluations, const PlannedEvaluation* upcoming) {
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const auto& planned = evaluations[i];
    upcoming_ = setup_.config.isolated && i + 1 < evaluations.size() ? &evaluations[i + 1] : upcoming;
    if (setup_.interrupted || setup_.early_end.cause()) return;
    if (close_if_lost() || !closed_.empty()) {
      observer_.not_done(planned, model::Fault::machine, closed_);
    } else {
      evaluate(planned);
    }
  }
}

void Lane::evaluate(const PlannedEvaluation& planned) {
  const auto build = setup_.builds.find({planned.solution, setup_.device.architecture});
  if (build == setup_.builds.end())
    return observer_.not_done(planned, model::Fault::harness, "it was not built");
  if (!build->second.error.empty())
    return observer_.not_done(planned, model::Fault::machine, build->second.error);
  const auto& result = build->second.result;
  if (result.outcome == compile::BuildResult::Outcome::kUnsupported)
    return observer_.not_done(planned, model::Fault::machine, result.log);
  observer_.started(planned);
  const util::Timeline::Span span(
      setup_.spawner.timeline(), 0, worker::kCoordinator, "evaluation",
      fmt::format("{} {} {}", planned.definition->name, planned.solution->name, planned.workload->uuid));
  if (result.outcome == compile::BuildResult::Outcome::kFailed) {
    Measurement failed;
    failed.status = Status::COMPILE_ERROR;
    failed.note = result.log;
    failed.failure = FailureFacts{code_of_build(result.log)};
    failed.durations.build_ms = build->second.took_ms;
    return report(planned, failed, util::utc_timestamp());
  }
  if (const auto skipped = setup_.failures.skipped(planned))
    return report(planned, *skipped, util::utc_timestamp());
  measure(planned, result.artifact, build->second.took_ms);
}

void Lane::measure(const PlannedEvaluation& planned, const compile::Artifact& artifact, double build_ms) {
  if (const auto known = unusable_.find(planned.workload); known != unusable_.end()) {
    return observer_.not_done(planned, model::Fault::dataset, known->second);
  }
  const std::string started = util::utc_timestamp();
  std::optional<Measurement> measurement;
  try {
    measurement = made(planned, artifact);
    if (measurement) {
      measurement->torch = torch_of(artifact);
      measurement->durations.build_ms = build_ms;
    }
  } catch (const std::exception& error) {
    // Not an Error where threads or memory have run out: the solution may have them. They come back with its
    // end.
    if (setup_.interrupted) return;
    running_ = nullptr;
    worker_.reset();
    const bool is_lost = close_if_lost();
    const bool is_of_dataset = !is_lost && unusable_.contains(planned.workload);
    return observer_.not_done(planned, is_of_dataset ? model::Fault::dataset : model::Fault::machine,
                              is_lost ? closed_ : error.what());
  }
  if (setup_.interrupted) return;
  // Whatever was seen of a solution whose worker died with the keeper is no verdict.
  if (close_if_lost() || !measurement) return observer_.not_done(planned, model::Fault::machine, closed_);
  // After any failure the next workload gets a fresh worker.
  if (measurement->status != Status::PASSED) running_ = nullptr;
  setup_.failures.add(planned, *measurement);
  report(planned, *measurement, started);
}

// Nothing when interrupted, or when the lane has closed. A worker that somebody killed is replaced once. Its
// successor gets other inputs: what the first one has seen is worthless to it, should it have killed itself.
// When it is killed too, that is the solution's fault, unless the machine is out of memory.
std::optional<Measurement> Lane::made(const PlannedEvaluation& planned, const compile::Artifact& artifact) {
  const auto until_judged = [&](const PlannedEvaluation& wanted) {
    std::optional<Measurement> measurement;
    while (!measurement && !setup_.interrupted && closed_.empty()) measurement = attempt(wanted, artifact);
    return measurement;
  };
  const auto was_killed = [&](const std::optional<Measurement>& measurement) {
    return measurement && measurement->status == Status::RUNTIME_ERROR && worker_ &&
           worker_->killed_by_others();
  };
  const std::uint64_t oom_kills = util::oom_kills();
  auto measurement = until_judged(planned);
  if (!was_killed(measurement) || close_if_lost()) return measurement;
  observer_.warning(fmt::format("{}: its worker was killed by SIGKILL (is the memory full?); it gets another",
                                planned.solution->name));
  running_ = nullptr;
  PlannedEvaluation again = planned;
  again.solution_sha256 = util::Sha256().add("again").add(planned.solution_sha256).hex();
  measurement = until_judged(again);
  if (was_killed(measurement) && util::oom_kills() > oom_kills)
    throw Error("two workers were killed by SIGKILL, while the kernel ended processes for want of memory");
  if (measurement) measurement->note.insert(0, "a first worker was killed by SIGKILL\n");
  return measurement;
}

// Nothing when the judge was lost on the way. Throws Error for whatever else keeps the evaluation from being
// made.
std::optional<Measurement> Lane::attempt(const PlannedEvaluation& planned,
                                         const compile::Artifact& artifact) {
  try {
    return make_evaluation_run(planned, artifact);
  } catch (const worker::JudgeLost& lost) {
    lose_judge(lost.what());
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
  const bool is_first = running_ != planned.solution || setup_.config.isolated;
  const std::int64_t begin = util::monotonic_ns();
  const bool is_loaded = start_solution(planned, artifact, measurement);
  const std::int64_t loaded = util::monotonic_ns();
  if (is_first) measurement.durations.load_ms = util::in_ms(loaded - begin);
  if (!is_loaded) return measurement;
  const RunConfig config = config_for(setup_.config, *planned.definition, *planned.workload);
  try {
    EvaluationRun run({config, setup_.device, *judge_, reference_, *worker_, facts_, *workload, planned,
                       artifact.kernels, setup_.secret, util::monotonic_ns, [this] { await_next_guest(); }});
    // Now that the reference has its guest.
    if (is_first) begin_next_worker(artifact);
    const auto durations = measurement.durations;
    measurement = run.run();
    measurement.durations = durations;
    measurement.durations.evaluate_ms = util::in_ms(util::monotonic_ns() - loaded);
    return measurement;
  } catch (const ReferenceError& error) {
    if (!setup_.interrupted) unusable_[planned.workload] = error.what();
    throw;
  }
}

bool Lane::close_if_lost() {
  if (!setup_.spawner.lost()) return false;
  closed_ = setup_.spawner.loss();
  return true;
}

void Lane::lose_judge(const std::string& reason) {
  if (++judges_lost_ >= kMaxJudgesLost) {
    closed_ = fmt::format("the device's judge was lost twice, its lane is closed: {}",
                          reason.substr(0, reason.find('\n')));
  }
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
  auto files =
      input_files(*planned.definition, *planned.workload, setup_.datasets[planned.dataset].root, confinement);
  if (setup_.config.synthesize_missing) {
    for (const auto& input : files.missing) files.found.erase(input);
    document.made = synthesis::inputs_to_make(document.definition, document.workload, files.missing);
  }
  document.blobs = std::move(files.found);
  document.secret = setup_.secret;
  document.rule = planned.rule;
  document.tolerance =
      tolerance_of(config_for(setup_.config, *planned.definition, *planned.workload), *planned.workload,
                   eval::usual_matched_ratio(planned.rule, *planned.definition));
  document.memory_budget_bytes = setup_.config.memory_budget_bytes;
  return workloads_.emplace(planned.workload, JudgedWorkload{judge_->open(document), document.made})
      .first->second;
}

// The worker of a solution that has passed has something to leave.
void Lane::end_solution() {
  if (running_ != nullptr && worker_ && worker_->alive()) keep_jit_files();
  running_ = nullptr;
  worker_.reset();
}

void Lane::keep_jit_files() {
  if (setup_.jit_cache == nullptr || jit_key_.empty()) return;
  std::string problem;
  try {
    const auto files = worker_->take_jit_files(util::monotonic_ns() + kJitLimitNs);
    if (const auto* failure = std::get_if<Failure>(&files)) problem = failure->text;
    const auto* content = std::get_if<std::string>(&files);
    if (content != nullptr && !content->empty()) setup_.jit_cache->keep(jit_key_, *content);
  } catch (const std::exception& error) {  // memory may have run out, too
    problem = error.what();
  }
  if (problem.empty()) return;
  observer_.warning(
      fmt::format("{}: what just-in-time compilers made is not kept: {}", running_->name, problem));
}

// Makes sure that the solution's worker runs with the solution loaded; false with the reason in `failed`.
bool Lane::start_solution(const PlannedEvaluation& planned, const compile::Artifact& artifact,
                          Measurement& failed) {
  const bool goes_on = running_ == planned.solution && worker_ && worker_->alive();
  if (goes_on && !setup_.config.isolated) return true;
  end_solution();
  const std::int64_t deadline = util::monotonic_ns() + load_limit_ns(artifact);
  worker_ = next_worker_.take(kind_of(artifact));
  const bool is_started = worker_ && runs_in_guest(artifact);
  if (!worker_) worker_ = make_client(artifact);
  worker_->set_role(kSolutionsWorker);
  if (!is_started) start_worker(artifact, deadline);
  auto trip = worker_->ping(deadline);
  if (auto* failure = std::get_if<Failure>(&trip)) throw Error("{}", failure->text);
  const auto loaded = load(planned, artifact, deadline);
  if (const auto* failure = std::get_if<Failure>(&loaded)) {
    failed.status = failure->kind == Failure::Kind::kTimeout ? Status::TIMEOUT : Status::RUNTIME_ERROR;
    failed.note = fmt::format("{} while the solution was loaded\n", failure->text);
    failed.failure = FailureFacts{code_of_load(*failure)};
    failed.output = worker_->take_output();
    return false;
  }
  const auto& answer = std::get<worker::Loaded>(loaded);
  facts_ = {util::in_ms(std::get<std::int64_t>(trip)),
            answer.sandbox,
            worker_->has_memory_group(),
            answer.no_tracer,
            runs_in_guest(artifact),
            artifact.style.reason};
  running_ = planned.solution;
  return true;
}

const compile::Artifact* Lane::upcoming_artifact() const {
  if (upcoming_ == nullptr) return nullptr;
  const auto build = setup_.builds.find({upcoming_->solution, setup_.device.architecture});
  const bool is_built =
      build != setup_.builds.end() && build->second.result.outcome == compile::BuildResult::Outcome::kBuilt;
  return is_built ? &build->second.result.artifact : nullptr;
}

// The first call of Python code loads, or compiles, for as long as starting a device takes: there the next
// guest's device is started. A worker without Python is made ready on a core of its own, but for its context.
void Lane::begin_next_worker(const compile::Artifact& artifact) {
  const auto* next = setup_.device.is_cuda() ? upcoming_artifact() : nullptr;
  if (next == nullptr) return;
  if (runs_in_guest(*next)) {
    if (setup_.guests != nullptr && runs_in_guest(artifact))
      next_worker_.begin(kind_of(*next), [this] { return started_guest(*setup_.guests, use_device()); });
  } else if (setup_.children.awake_us > 0) {
    next_worker_.begin(kind_of(*next), [this, request = confine_request(*next)] {
      return confined_worker(setup_.spawner, setup_.children, request, kNextWorker);
    });
  }
}

void Lane::await_next_guest() const {
  if (!next_worker_.has_guest()) return;
  const util::Timeline::Span span(setup_.spawner.timeline(), 0, worker::kCoordinator,
                                  "wait for the next worker");
  next_worker_.wait();
}

// What Python code does when it is imported may be a build.
std::int64_t Lane::load_limit_ns(const compile::Artifact& artifact) const {
  if (!runs_in_guest(artifact)) return kLoadLimitNs;
  return std::max(kLoadLimitNs, static_cast<std::int64_t>(setup_.config.build_timeout_s * 1e9));
}

std::unique_ptr<worker::WorkerClient> Lane::make_client(const compile::Artifact& artifact) {
  if (!runs_in_guest(artifact))
    return confined_worker(setup_.spawner, setup_.children, confine_request(artifact), kSolutionsWorker);
  if (setup_.guests == nullptr) throw Error("there is no Python to run it");
  return setup_.guests->take();
}

worker::Confine Lane::confine_request(const compile::Artifact& artifact) const {
  return {setup_.children.files.to_json(), artifact.runtime.string(), setup_.device.is_cuda()};
}

void Lane::start_worker(const compile::Artifact& artifact, std::int64_t deadline_ns) {
  const worker::UseDevice device = use_device();
  const worker::Start start = runs_in_guest(artifact)
                                  ? python_start(device, 0)
                                  : worker::Start{target_kind(artifact), device, 1, data_limit()};
  const auto started = worker_->start(start, deadline_ns, kernels_beside(device));
  if (const auto* failure = std::get_if<Failure>(&started))
    throw Error("{}\n{}", failure->text, worker_->take_output());
}

worker::Answer<worker::Loaded> Lane::load(const PlannedEvaluation& planned, const compile::Artifact& artifact,
                                          std::int64_t deadline_ns) {
  worker::Load request = load_request(artifact);
  std::vector<util::UniqueFd> files;
  jit_key_.clear();
  if (artifact.kind != compile::Artifact::Kind::kPythonModule)
    files.push_back(open_sealed(artifact.file, artifact.sha256));
  if (!runs_in_guest(artifact)) return worker_->load(request, deadline_ns, {}, files);
  jit_key_ =
      util::Sha256().add(model::content_sha256(*planned.solution)).add(setup_.device.architecture).hex();
  const std::string jit_files =
      setup_.jit_cache == nullptr ? std::string() : setup_.jit_cache->find(jit_key_);
  request.has_jit_files = !jit_files.empty();
  if (request.has_jit_files) files.push_back(util::make_sealed_document("fib-jit", jit_files));
  const auto document = solution_document(*planned.solution, *planned.definition, artifact);
  return worker_->load(request, deadline_ns, document.to_json(), files);
}

void Lane::report(const PlannedEvaluation& planned, const Measurement& measurement,
                  const std::string& started_utc) {
  const util::Timeline::Span span(setup_.spawner.timeline(), 0, worker::kCoordinator, "write the trace");
  const RunConfig config = config_for(setup_.config, *planned.definition, *planned.workload);
  const auto evaluation = make_evaluation(measurement, planned, config, setup_.identity, started_utc);
  try {
    observer_.finished(planned, evaluation);
  } catch (const dataset::DiskFull& error) {
    if (!worker_) throw;
    observer_.warning(
        fmt::format("{}; tried again without the solution's worker and its files", error.what()));
    running_ = nullptr;
    worker_.reset();
    observer_.finished(planned, evaluation);
  }
}

}  // namespace fib::bench
