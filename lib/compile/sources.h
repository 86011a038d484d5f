#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/solution.h"

namespace fib::compile {

// Writes the solution's sources below `folder`. A sentence when two of them are the same file; throws Error
// when they cannot be written.
[[nodiscard]] std::optional<std::string> write_sources(const model::Solution& solution,
                                                       const std::filesystem::path& folder);

}  // namespace fib::compile
