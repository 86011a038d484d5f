#include "bench/solution_worker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "bench/artifact_load.h"
#include "bench/memory_limits.h"
#include "bench/python_code.h"
#include "bench/sealed_file.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

using model::Status;
using worker::Failure;

constexpr std::int64_t kLoadLimitNs = std::int64_t{60} * 1'000'000'000;
constexpr std::int64_t kJitLimitNs = std::int64_t{10} * 1'000'000'000;

// What Python code does when it is imported may be a build.
std::int64_t load_limit_ns(const compile::Artifact& artifact, const RunConfig& config) {
  if (!runs_in_guest(artifact)) return kLoadLimitNs;
  return std::max(kLoadLimitNs, static_cast<std::int64_t>(config.build_timeout_s * 1e9));
}

}  // namespace

SolutionWorker::~SolutionWorker() { next().end_unused(); }

bool SolutionWorker::has_loaded(const model::Solution& solution) const {
  return running_ == &solution && worker_ && worker_->alive();
}

// The worker of a solution that has passed has something to leave.
std::unique_ptr<worker::WorkerClient> SolutionWorker::give_up() {
  if (running_ != nullptr && worker_ && worker_->alive()) keep_jit_files();
  running_ = nullptr;
  if (worker_) worker_->kill();
  return std::move(worker_);
}

bool SolutionWorker::kill() {
  running_ = nullptr;
  return std::exchange(worker_, nullptr) != nullptr;
}

void SolutionWorker::keep_jit_files() {
  if (jit_cache_ == nullptr || jit_key_.empty()) return;
  std::string problem;
  try {
    const auto files = worker_->take_jit_files(util::monotonic_ns() + kJitLimitNs);
    if (const auto* failure = std::get_if<Failure>(&files)) problem = failure->text;
    const auto* content = std::get_if<std::string>(&files);
    if (content != nullptr && !content->empty()) jit_cache_->keep(jit_key_, *content);
  } catch (const std::exception& error) {  // memory may have run out, too
    problem = error.what();
  }
  if (problem.empty()) return;
  warn_(fmt::format("{}: what just-in-time compilers made is not kept: {}", running_->name, problem));
}

std::optional<Measurement> SolutionWorker::load(const PlannedEvaluation& planned,
                                                const compile::Artifact& artifact) {
  end();
  const std::int64_t deadline = util::monotonic_ns() + load_limit_ns(artifact, config_);
  start(artifact, deadline);
  if (const auto calibrated = worker_->calibrate(deadline); std::holds_alternative<Failure>(calibrated))
    throw Error("{}", std::get<Failure>(calibrated).text);
  auto trip = worker_->ping(deadline);
  if (auto* failure = std::get_if<Failure>(&trip)) throw Error("{}", failure->text);
  const auto loaded = ask_to_load(planned, artifact, deadline);
  if (const auto* failure = std::get_if<Failure>(&loaded)) {
    Measurement failed;
    failed.status = failure->kind == Failure::Kind::kTimeout ? Status::TIMEOUT : Status::RUNTIME_ERROR;
    failed.note = fmt::format("{} while the solution was loaded\n", failure->text);
    failed.failure = facts_of_load(*failure, processes_.device.is_cuda());
    failed.output = worker_->take_output();
    return failed;
  }
  const auto& answer = std::get<worker::Loaded>(loaded);
  facts_ = {util::in_ms(std::get<std::int64_t>(trip)),
            answer.sandbox,
            worker_->has_memory_group(),
            answer.no_tracer,
            runs_in_guest(artifact),
            artifact.style.reason};
  running_ = planned.solution;
  first_ = planned.workload;
  return std::nullopt;
}

WorkerKind SolutionWorker::kind_of(const compile::Artifact& artifact) const {
  const std::string files = processes_.children.files.to_json();
  if (runs_in_guest(artifact)) return {true, {files}, python_start(processes_.device, 0)};
  const auto target = target_kind(artifact);
  return {
      false,
      {files, artifact.runtime.string(), processes_.device.is_cuda(), target == worker::TargetKind::kKernels},
      {target, processes_.device, 1, data_limit()}};
}

// The one that was made ready, if there is one; it may have its device.
void SolutionWorker::start(const compile::Artifact& artifact, std::int64_t deadline_ns) {
  const WorkerKind kind = kind_of(artifact);
  worker_ = next().take(kind);
  if (!worker_ && kind.is_guest) {
    if (processes_.guests == nullptr) throw Error("there is no Python to run it");
    worker_ = processes_.guests->take();
  } else if (!worker_) {
    worker_ = confined_worker(processes_.spawner, processes_.children, kind.confine, kSolutionsWorker);
  }
  worker_->set_role(kSolutionsWorker);
  if (worker_->is_started()) return;
  const auto started = worker_->start(kind.start, deadline_ns, kernels_beside(processes_.device));
  if (const auto* failure = std::get_if<Failure>(&started))
    throw Error("{}\n{}", failure->text, worker_->take_output());
}

void SolutionWorker::begin(const compile::Artifact& artifact) {
  end();
  const auto kind = kind_of(artifact);
  if (!kind.is_guest) {
    const auto make = [&spawner = processes_.spawner, children = processes_.children, kind] {
      auto worker = confined_worker(spawner, children, kind.confine, kSolutionsWorker);
      const auto started = worker->start(kind.start, start_limit(), kernels_beside(kind.start.device));
      if (std::holds_alternative<Failure>(started)) worker.reset();
      return worker;
    };
    next().likely_again(kind, make);
    if (processes_.device.is_cuda()) next().begin(kind, NextWorker::Device::kStarts, make);
  } else if (processes_.device.is_cuda() && processes_.guests != nullptr) {
    begin_next_guest(kind);
  }
}

// The first call of Python code loads, or compiles, for as long as starting a device takes: there the next
// guest's device is started. A worker without Python is made ready on a core of its own, but for its context.
void SolutionWorker::begin_next(const compile::Artifact& current, const compile::Artifact& following) {
  if (!processes_.device.is_cuda()) return;
  if (runs_in_guest(following)) {
    if (processes_.guests != nullptr && runs_in_guest(current)) begin_next_guest(kind_of(following));
  } else if (processes_.children.awake_us > 0) {
    const auto kind = kind_of(following);
    next().begin(kind, NextWorker::Device::kLater,
                 [&spawner = processes_.spawner, children = processes_.children, request = kind.confine] {
                   return confined_worker(spawner, children, request, kNextWorker);
                 });
  }
}

void SolutionWorker::begin_next_guest(const WorkerKind& kind) {
  next().begin(kind, NextWorker::Device::kStarts, [&guests = *processes_.guests, device = processes_.device] {
    return started_guest(guests, device);
  });
}

void SolutionWorker::await_next_device() const {
  if (!next().starts_device()) return;
  const util::Timeline::Span span(processes_.spawner.timeline(), 0, worker::kCoordinator,
                                  "wait for the next worker");
  next().wait();
}

worker::Answer<worker::Loaded> SolutionWorker::ask_to_load(const PlannedEvaluation& planned,
                                                           const compile::Artifact& artifact,
                                                           std::int64_t deadline_ns) {
  worker::Load request = load_request(artifact);
  std::vector<util::UniqueFd> files;
  jit_key_.clear();
  if (artifact.kind != compile::Artifact::Kind::kPythonModule)
    files.push_back(open_sealed(artifact.file, artifact.sha256));
  if (!runs_in_guest(artifact)) return worker_->load(request, deadline_ns, {}, files);
  jit_key_ = jit_key(*planned.solution, architecture_);
  const std::string jit_files = jit_cache_ == nullptr ? std::string() : jit_cache_->find(jit_key_);
  request.has_jit_files = !jit_files.empty();
  if (request.has_jit_files) files.push_back(util::make_sealed_document("fib-jit", jit_files));
  const auto document = solution_document(*planned.solution, *planned.definition, artifact);
  return worker_->load(request, deadline_ns, document.to_json(), files);
}

}  // namespace fib::bench
