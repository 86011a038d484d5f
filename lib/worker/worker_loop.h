#pragma once

#include <memory>
#include <vector>

#include "util/unique_fd.h"
#include "worker/stage.h"
#include "worker/target.h"
#include "worker/worker_messages.h"

namespace fib::worker {

// How one kind of worker begins. Both throw Error with the sentence for the log.
class Loader {
 public:
  virtual ~Loader() = default;

  // To be asked before start(), once, of a worker for a compiled solution.
  virtual void confine(const Confine& request) = 0;

  // Where calls will happen: to be asked once, before anything of a solution is there.
  [[nodiscard]] virtual std::unique_ptr<Stage> start(const Start& request,
                                                     const std::vector<util::UniqueFd>& fds) = 0;

  // What is called there. The stage outlives it. The answer has what start() found.
  [[nodiscard]] virtual std::unique_ptr<Target> load(const Load& request,
                                                     const std::vector<util::UniqueFd>& fds, Stage& stage,
                                                     Loaded& answer) = 0;
};

// A worker's life: answers the parent's requests (PROTOCOL.md, section "workers") until the channel closes.
// Returns the process's exit code.
[[nodiscard]] int serve_worker(util::UniqueFd channel, Loader& loader);

}  // namespace fib::worker
