#include "bench/build_pool.h"

#include <algorithm>
#include <mutex>

#include "bench/build_document.h"
#include "bench/failure.h"
#include "bench/log_budget.h"
#include "compile/build_result_json.h"
#include "compile/compiler_files.h"
#include "util/clock.h"
#include "util/files.h"
#include "util/threads.h"

namespace fib::bench {
namespace {

using worker::Failure;
using worker::MessageType;

constexpr double kKernelsLimitS = 120;
constexpr std::size_t kMaxBuildAnswer = 64 * 1024 * 1024;

BuildOutcome timed_out(double timeout_s) {
  BuildOutcome outcome;
  outcome.result.log = fmt::format("the build took longer than {} s (--build-timeout)", timeout_s);
  return outcome;
}

// Asks one builder process, which then ends; its answer's document, or why there is none.
worker::Answer<std::string> ask_builder(worker::Spawner& spawner, const worker::ChildSetup& setup,
                                        const std::string& request, double timeout_s) {
  const util::TemporaryFolder folder(setup.temporary, "build-");
  const worker::ChildSpec spec{
      {setup.program, "__build"}, worker::clean_environment(folder.path()), folder.path(), 0};
  worker::Child child(spawner, "builder", spec, setup.start_timeout_ms);
  const auto document = util::make_sealed_document("fib-build", request);
  const auto deadline = util::monotonic_ns() + static_cast<std::int64_t>(timeout_s * 1e9);
  auto answer = child.request(MessageType::kBuild, {}, MessageType::kBuilt, deadline, {document.get()});
  if (auto* failure = std::get_if<Failure>(&answer)) {
    if (failure->kind != Failure::Kind::kTimeout) failure->text += "\n" + child.take_output();
    return std::move(*failure);
  }
  const auto& message = std::get<worker::Message>(answer);
  if (message.fds.size() != 1) throw Error("the builder sent no result");
  return util::read_document(message.fds[0].get(), kMaxBuildAnswer);
}

BuildOutcome build_one(worker::Spawner& spawner, const worker::ChildSetup& setup, const BuildJob& job,
                       const std::filesystem::path& cache, double timeout_s) try {
  const BuildRequest request{*job.solution, *job.definition, job.target, cache};
  const auto answer = ask_builder(spawner, setup, request.to_json(), timeout_s);
  if (spawner.lost()) return {{}, spawner.loss()};  // what a dying compiler said is no verdict
  if (const auto* failure = std::get_if<Failure>(&answer)) {
    if (failure->kind == Failure::Kind::kTimeout) return timed_out(timeout_s);
    return {{}, failure->text};
  }
  return {compile::parse_build_result(std::get<std::string>(answer)), {}};
} catch (const std::exception& error) {
  return {{}, error.what()};
}

}  // namespace

compile::BuildTarget build_target(const Environment& environment, const std::string& architecture,
                                  const RunConfig& config) {
  compile::BuildTarget target{
      environment.kind(),  architecture, environment.python, config.sandbox, config.sandbox_readable, 1,
      environment.tvm_ffi, config.torch};
  target.files = compile::files_of_compilers(target);
  return target;
}

std::optional<model::Obstacle> BuildOutcome::obstacle() const {
  using model::ObstacleCode;
  if (!error.empty())
    return model::Obstacle{
        util::is_of_missing_program(error) ? ObstacleCode::missing_tool : ObstacleCode::build_not_made,
        error};
  if (result.outcome != compile::BuildResult::Outcome::kUnsupported) return std::nullopt;
  return model::Obstacle{ObstacleCode::missing_tool, result.log};
}

std::map<BuildKey, BuildOutcome> build_all(
    worker::Spawner& spawner, const worker::ChildSetup& setup, const std::vector<BuildJob>& jobs,
    const std::filesystem::path& cache, double timeout_s, unsigned parallel,
    const std::function<void(const model::Solution&, const BuildOutcome&)>& finished,
    const std::function<bool()>& stops) {
  std::map<BuildKey, BuildOutcome> outcomes;
  std::mutex mutex;
  util::for_each_index(jobs.size(), parallel, [&](std::size_t i) {
    if (stops()) return;
    const std::int64_t begin = util::monotonic_ns();
    BuildOutcome outcome = build_one(spawner, setup, jobs[i], cache, timeout_s);
    outcome.took_ms = util::in_ms(util::monotonic_ns() - begin);
    auto& result = outcome.result;
    if (result.outcome == compile::BuildResult::Outcome::kFailed) outcome.code = code_of_build(result.log);
    result.log = cut_log(std::move(result.log), kMostOfBuildLog);
    if (stops()) return;  // a build that was killed is no verdict
    const std::lock_guard lock(mutex);
    finished(*jobs[i].solution, outcome);
    outcomes.emplace(BuildKey{jobs[i].solution, jobs[i].target.architecture}, std::move(outcome));
  });
  return outcomes;
}

std::filesystem::path build_device_kernels(worker::Spawner& spawner, const worker::ChildSetup& setup,
                                           const std::string& architecture,
                                           const std::filesystem::path& cache) {
  const auto answer =
      ask_builder(spawner, setup, KernelsRequest{architecture, cache}.to_json(), kKernelsLimitS);
  if (const auto* failure = std::get_if<Failure>(&answer)) throw Error("{}", failure->text);
  return std::get<std::string>(answer);
}

}  // namespace fib::bench
