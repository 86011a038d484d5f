#pragma once

#include "util/unique_fd.h"

namespace fib::worker {

// The judge: owns the shared buffers, the seeds and the expected outputs, fills and compares. Answers the
// coordinator's requests (PROTOCOL.md, section "judge") until the channel closes. Returns the process's exit
// code.
[[nodiscard]] int run_judge(util::UniqueFd channel);

}  // namespace fib::worker
