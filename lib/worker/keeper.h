#pragma once

#include <sys/types.h>

#include <string>

#include "util/unique_fd.h"

namespace fib::worker {

// The keeper: a small single-threaded process that starts every other child for the coordinator and outlives
// it just long enough to clean up. It is a subreaper, so that every descendant, also one that forked twice or
// changed its session, stays in its tree. When the coordinator's end of `socket` closes (it ended, however it
// went), the keeper kills the whole tree, removes the folders it was told of, and exits. An orphan that
// outlived the child that made it is killed as soon as that child ends.
//
// Where the system allows it each child that has a limit on memory runs in a control group of its own
// (sandbox/memory_group.h), which the keeper removes when its last process has ended.
//
// Runs until then and returns the process's exit code. Messages: PROTOCOL.md, section "keeper".
[[nodiscard]] int run_keeper(util::UniqueFd socket);

// How the names of its control groups begin.
[[nodiscard]] std::string group_name_of(pid_t keeper);

}  // namespace fib::worker
