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

RunDelay::Times RunDelay::times() const {
  char text[96] = {};
  Times times;
  if (!file_.valid() || ::pread(file_.get(), text, sizeof text - 1, 0) <= 0) return {};
  const int read = std::sscanf(text, "%" SCNd64 " %" SCNd64, &times.on_cpu_ns, &times.waiting_ns);
  return read == 2 ? times : Times{};
}

}  // namespace fib::util
