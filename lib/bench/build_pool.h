#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/config.h"
#include "bench/environment.h"
#include "compile/artifact.h"
#include "model/obstacle.h"
#include "model/solution.h"
#include "worker/clients.h"

namespace fib::bench {

// In bytes, beginning and end together.
inline constexpr std::size_t kMostOfBuildLog = std::size_t{256} << 10U;

// One solution to be built; the pointers must stay valid.
struct BuildJob {
  const model::Solution* solution = nullptr;
  const model::Definition* definition = nullptr;
  compile::BuildTarget target;
};

// What a run with this configuration builds for: `architecture` of CUDA devices, "" on the CPU. Pure.
[[nodiscard]] compile::BuildTarget build_target(const Environment& environment,
                                                const std::string& architecture, const RunConfig& config);

// By solution and architecture (compile::BuildTarget; empty on the CPU).
using BuildKey = std::pair<const model::Solution*, std::string>;

// What became of one solution's build. `error` is set when it could not be tried: no verdict on the solution.
struct BuildOutcome {
  compile::BuildResult result;  // of its log at most kMostOfBuildLog
  std::string error;
  double took_ms = 0;
  model::ErrorCode code{};  // of a build that failed

  // Why it says nothing of the solution; nothing: it was built, or failed.
  [[nodiscard]] std::optional<model::Obstacle> obstacle() const;
};

// Builds solutions in parallel, one short-lived process each, each at most `timeout_s` seconds (a build that
// takes longer failed, and says so). `finished` is called from the calling thread's helpers, one at a time,
// after each. Begins no more when `stops` (asked by any thread) says so; solutions without an outcome are
// then missing from the result.
[[nodiscard]] std::map<BuildKey, BuildOutcome> build_all(
    worker::Spawner& spawner, const worker::ChildSetup& setup, const std::vector<BuildJob>& jobs,
    const std::filesystem::path& cache, double timeout_s, unsigned parallel,
    const std::function<void(const model::Solution&, const BuildOutcome&)>& finished,
    const std::function<bool()>& stops);

// fib's own kernels for a CUDA architecture, built in a process of its own; the path of the cubin. Throws
// Error.
[[nodiscard]] std::filesystem::path build_device_kernels(worker::Spawner& spawner,
                                                         const worker::ChildSetup& setup,
                                                         const std::string& architecture,
                                                         const std::filesystem::path& cache);

}  // namespace fib::bench
