#include "bench/build_pool.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "bench/build_document.h"
#include "util/clock.h"
#include "util/files.h"

namespace fib::bench {
namespace {

using Outcome = compile::BuildResult::Outcome;
using worker::Failure;
using worker::MessageType;

constexpr std::size_t kMaxDocument = 64 * 1024 * 1024;

BuildOutcome timed_out(double timeout_s) {
  BuildOutcome outcome;
  outcome.result.log = fmt::format("the build took longer than {} s (--build-timeout)", timeout_s);
  return outcome;
}

BuildOutcome build_one(worker::Spawner& spawner, const worker::ChildSetup& setup,
                       const model::Solution& solution, const std::filesystem::path& cache,
                       double timeout_s) try {
  const util::TemporaryFolder folder(setup.temporary, "build-");
  const worker::ChildSpec spec{
      {setup.program, "__build"}, worker::clean_environment(folder.path()), folder.path(), 0};
  worker::Child child(spawner, "builder", spec, setup.start_timeout_ms);
  const auto request = util::make_sealed_document("fib-build", BuildRequest{solution, cache}.to_json());
  const auto deadline = util::monotonic_ns() + static_cast<std::int64_t>(timeout_s * 1e9);
  auto answer = child.request(MessageType::kBuild, {}, MessageType::kBuilt, deadline, {request.get()});
  if (const auto* failure = std::get_if<Failure>(&answer)) {
    if (failure->kind == Failure::Kind::kTimeout) return timed_out(timeout_s);
    return {{}, failure->text + "\n" + child.take_output()};
  }
  const auto& message = std::get<worker::Message>(answer);
  if (message.fds.size() != 1) throw Error("the builder sent no result");
  return {parse_build_result(util::read_document(message.fds[0].get(), kMaxDocument)), {}};
} catch (const std::exception& error) {
  return {{}, error.what()};
}

}  // namespace

std::map<const model::Solution*, BuildOutcome> build_all(
    worker::Spawner& spawner, const worker::ChildSetup& setup,
    const std::vector<const model::Solution*>& solutions, const std::filesystem::path& cache,
    double timeout_s, unsigned parallel,
    const std::function<void(const model::Solution&, const BuildOutcome&)>& finished,
    const std::atomic<bool>& interrupted) {
  std::map<const model::Solution*, BuildOutcome> outcomes;
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < solutions.size() && !interrupted; i = next++) {
      BuildOutcome outcome = build_one(spawner, setup, *solutions[i], cache, timeout_s);
      if (interrupted) return;
      const std::lock_guard lock(mutex);
      finished(*solutions[i], outcome);
      outcomes.emplace(solutions[i], std::move(outcome));
    }
  };
  std::vector<std::thread> threads;
  const auto wanted = std::min<std::size_t>(std::max(1U, parallel), solutions.size());
  for (std::size_t i = 0; i < wanted; ++i) threads.emplace_back(work);
  for (auto& thread : threads) thread.join();
  return outcomes;
}

}  // namespace fib::bench
