#pragma once

#include <string>

#include "dataset/standing.h"

namespace fib::report {

// What of a dataset's traces does not count, which conditions rule, and how to count others; "" where all
// count, or `standing` is null. Pure.
[[nodiscard]] std::string not_counted_text(const dataset::StandingResults* standing);

}  // namespace fib::report
