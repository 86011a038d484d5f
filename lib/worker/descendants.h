#pragma once

namespace fib::worker {

// Python code may start processes (Triton runs compilers), which threads' clocks do not show. These functions
// look at them from the process that is their ancestor.

// From now on orphans among this process's descendants become its children, so that none is out of sight.
void adopt_descendants();

enum class Descendants { kAtRest, kCameToRest, kAtWork };

// Whether a descendant of this process works (runs, or waits for a disk): looks until none does, `looks`
// times at most, a millisecond apart. One system call where there are no descendants.
[[nodiscard]] Descendants watch_descendants(int looks);

}  // namespace fib::worker
