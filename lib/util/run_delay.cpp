#include "util/run_delay.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>

namespace fib::util {

RunDelay::RunDelay(pid_t pid) {
  const std::string path = pid == 0 ? "/proc/thread-self/schedstat" : fmt::format("/proc/{}/schedstat", pid);
  file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::int64_t RunDelay::ns() const {
  char text[96] = {};
  if (!file_.valid() || ::pread(file_.get(), text, sizeof text - 1, 0) <= 0) return 0;
  std::int64_t on_cpu = 0;
  std::int64_t waiting = 0;
  return std::sscanf(text, "%" SCNd64 " %" SCNd64, &on_cpu, &waiting) == 2 ? waiting : 0;
}

}  // namespace fib::util
