#pragma once

#include <string>

namespace fib::util {

// Who holds locks on the open file, by /proc: "process 123 (python3)", several with ", " between; empty where
// /proc does not tell it (other users' processes, other machines). Looks at every process: for messages.
[[nodiscard]] std::string lock_holders(int fd);

}  // namespace fib::util
