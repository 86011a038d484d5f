#pragma once

#include "util/unique_fd.h"

namespace fib::bench {

// A build process: answers one Build request (worker/PROTOCOL.md, section "builder") with the result of
// compile::build and ends. Returns the process's exit code.
[[nodiscard]] int run_build(util::UniqueFd channel);

}  // namespace fib::bench
