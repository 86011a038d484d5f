#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "util/unique_fd.h"
#include "worker/stage.h"
#include "worker/target.h"
#include "worker/worker_messages.h"

namespace fib::worker {

// What a worker runs and where, once it has been loaded. The stage outlives the target.
struct LoadedTarget {
  std::unique_ptr<Stage> stage;
  std::unique_ptr<Target> target;
  Loaded answer;
};

// Loads what a Load request names; `fds` are the descriptors beside it. Throws Error with the sentence for
// the log.
using Loader = std::function<LoadedTarget(const Load& request, std::vector<util::UniqueFd>& fds)>;

// A worker's life: answers the parent's requests (PROTOCOL.md, section "workers") until the channel closes.
// Returns the process's exit code.
[[nodiscard]] int serve_worker(util::UniqueFd channel, const Loader& loader);

}  // namespace fib::worker
