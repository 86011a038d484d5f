#pragma once

#include "util/unique_fd.h"

namespace fib::worker {

// A solution or reference worker: answers the parent's requests (PROTOCOL.md, section "workers") until the
// channel closes. Returns the process's exit code. A solution worker enters the sandbox before it loads the
// solution.
[[nodiscard]] int run_worker(util::UniqueFd channel);

}  // namespace fib::worker
