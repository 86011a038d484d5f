#pragma once

namespace fib::worker {

// Python code may start processes (Triton runs compilers), which threads' clocks do not show. These functions
// look at them from the process that is their ancestor.

// From now on orphans among this process's descendants become its children, so that none is out of sight.
void adopt_descendants();

// Whether a descendant of this process still works (runs, or waits for a disk) after some time to come to
// rest. One system call where there are no descendants.
[[nodiscard]] bool descendants_at_work();

}  // namespace fib::worker
