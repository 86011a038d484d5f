#pragma once

#include "report/history_tables.h"

namespace fib::cmd {

// The configuration of `fib run` that is told nothing.
[[nodiscard]] report::ConfigDefaults config_defaults();

}  // namespace fib::cmd
