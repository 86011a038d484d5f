#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "model/solution.h"
#include "worker/clients.h"

namespace fib::bench {

// What became of one solution's build. `error` is set when it could not be tried: no verdict on the solution.
struct BuildOutcome {
  compile::BuildResult result;
  std::string error;
};

// Builds solutions in parallel, one short-lived process each, each at most `timeout_s` seconds (a build that
// takes longer failed, and says so). `finished` is called from the calling thread's helpers, one at a time,
// after each. Stops early when `interrupted` becomes true; solutions without an outcome are then missing from
// the result.
[[nodiscard]] std::map<const model::Solution*, BuildOutcome> build_all(
    worker::Spawner& spawner, const worker::ChildSetup& setup,
    const std::vector<const model::Solution*>& solutions, const std::filesystem::path& cache,
    double timeout_s, unsigned parallel,
    const std::function<void(const model::Solution&, const BuildOutcome&)>& finished,
    const std::atomic<bool>& interrupted);

}  // namespace fib::bench
