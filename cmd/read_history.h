#pragma once

#include <string>

#include "report/history.h"

namespace fib::cmd {

// The runs of the dataset `root` by their records and its traces. What cannot be read goes to stderr, the
// first ten lines; under `strict` it is thrown as Error.
[[nodiscard]] report::DatasetHistory read_history(const std::string& root, bool strict);

}  // namespace fib::cmd
