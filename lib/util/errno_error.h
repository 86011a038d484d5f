#pragma once

#include <string>

#include "util/error.h"

namespace fib::util {

// "<what>: <strerror(errno)>" from the calling thread's errno. `what` names the call's purpose and its path.
[[nodiscard]] Error errno_error(const std::string& what);

}  // namespace fib::util
