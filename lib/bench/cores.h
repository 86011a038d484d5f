#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace fib::bench {

// Which cores do what while a GPU is measured: what prepares the next solutions must not disturb the judge
// and the workers.
struct CoreShares {
  std::vector<unsigned> lanes;      // coordinator, judges, workers
  std::vector<unsigned> preparing;  // interpreters that import their packages
};

// Three eighths of this process's cores prepare, the others serve `lanes` devices; nothing where that leaves
// a device fewer than four cores.
[[nodiscard]] std::optional<CoreShares> share_cores(unsigned lanes);

// All threads of a process of this user run on these cores only; also what they start from now on.
void run_on(pid_t process, const std::vector<unsigned>& cores);

}  // namespace fib::bench
