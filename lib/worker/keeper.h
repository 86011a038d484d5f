#pragma once

#include "util/unique_fd.h"

namespace fib::worker {

// The keeper: a small single-threaded process that starts every other child for the coordinator and outlives
// it just long enough to clean up. It is a subreaper, so that every descendant, also one that forked twice or
// changed its session, stays in its tree. When the coordinator's end of `socket` closes (it ended, however it
// went), the keeper kills the whole tree, removes the folders it was told of, and exits. An orphan that
// outlived the child that made it is killed as soon as that child ends.
//
// Runs until then and returns the process's exit code. Messages: PROTOCOL.md, section "keeper".
[[nodiscard]] int run_keeper(util::UniqueFd socket);

}  // namespace fib::worker
