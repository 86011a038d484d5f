#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace fib::worker {

// All living descendants of `root` (not `root` itself), read from /proc: children before grandchildren.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t root);

// The same from the lists of children that threads have: no look at all processes, but a child may be missed
// while its siblings end.
[[nodiscard]] std::vector<pid_t> listed_descendants_of(pid_t root);

// The letter of its state by /proc: 'R' runs, 'D' waits for a disk, 'S' sleeps, ...; '?' when it has ended.
[[nodiscard]] char state_of(pid_t pid);

// The direct children of `parent`, zombies included.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

// Stops `root` and all its descendants first, so that none can fork while the others die, then sends SIGKILL.
// Looks again until no new ones appear. Where `root` leads a process group, all of that is killed first, at
// once. Reaps nothing.
void kill_tree(pid_t root);

// The same of many at once: /proc is read as often as for one of them, once for each time that new ones
// appear.
void kill_trees(const std::vector<pid_t>& roots);

}  // namespace fib::worker
