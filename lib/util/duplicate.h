#pragma once

#include <fcntl.h>

#include "util/errno_error.h"
#include "util/unique_fd.h"

namespace fib::util {

// Another descriptor of the same open file, which programs that are started do not get. Throws Error.
[[nodiscard]] inline UniqueFd duplicate(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!copy.valid()) throw errno_error("cannot duplicate a file descriptor");
  return copy;
}

}  // namespace fib::util
