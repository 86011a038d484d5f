#pragma once

#include <sys/types.h>

#include <vector>

namespace fib::worker {

// All living descendants of `root` (not `root` itself), read from /proc: children before grandchildren.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t root);

// The direct children of `parent`, zombies included.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

// Stops `root` and all its descendants first, so that none can fork while the others die, then sends SIGKILL.
// Looks again until no new ones appear. Reaps nothing.
void kill_tree(pid_t root);

}  // namespace fib::worker
