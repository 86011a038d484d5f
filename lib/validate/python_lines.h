#pragma once

#include <string_view>
#include <vector>

#include "dataset/load.h"

namespace fib::validate {

// The lines of `text` that are not blank as Python's str.splitlines() and strip() make them: lines also end
// at
// "\r", form feeds, and the separators of ASCII and Unicode, and count there. The views point into `text`.
[[nodiscard]] std::vector<dataset::Line> python_lines(std::string_view text);

}  // namespace fib::validate
