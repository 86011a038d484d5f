#pragma once

#include <sys/types.h>

#include <cstdint>

#include "util/unique_fd.h"

namespace fib::util {

// How long a thread has been ready to run without getting a CPU, in nanoseconds since its start, as the
// kernel counts it (the second number of its schedstat file). Tells a busy machine apart from work.
class RunDelay {
 public:
  // The main thread of process `pid`, or with 0 the calling thread. Where the kernel does not count, ns() is
  // 0.
  explicit RunDelay(pid_t pid);
  [[nodiscard]] std::int64_t ns() const { return times().waiting_ns; }

  struct Times {
    std::int64_t on_cpu_ns = 0;
    std::int64_t waiting_ns = 0;
  };
  [[nodiscard]] Times times() const;

 private:
  UniqueFd file_;
};

}  // namespace fib::util
