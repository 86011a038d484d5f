#pragma once

#include <string>

namespace fib::cmd {

// Sends log lines of `level` (trace, debug, info, warning, error, off) and above to stderr; colours only on a
// terminal and without NO_COLOR.
void set_up_logging(const std::string& level);

}  // namespace fib::cmd
