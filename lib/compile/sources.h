#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/solution.h"

namespace fib::compile {

// Writes the solution's sources below `folder`. A sentence when two of them are the same file, or one can be
// none; throws Error when the disk or the system does not take them.
[[nodiscard]] std::optional<std::string> write_sources(const model::Solution& solution,
                                                       const std::filesystem::path& folder);

// What compiles a source, by its path: a C++ compiler (.cpp, .cc, .cxx), a C compiler (.c), nvcc (.cu).
[[nodiscard]] bool is_cxx(const std::filesystem::path& path);
[[nodiscard]] bool is_c(const std::filesystem::path& path);
[[nodiscard]] bool is_cuda(const std::filesystem::path& path);

[[nodiscard]] bool has_cuda_sources(const model::Solution& solution);

}  // namespace fib::compile
