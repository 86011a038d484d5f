#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "validate/reference.h"

namespace fib::cmd {

// Which references run, and where.
struct ReferenceOptions {
  std::filesystem::path root;
  std::vector<std::string> devices;  // of --device: Python runs on the first; empty: the CPU
  std::size_t synthesize = 0;        // workloads proposed for a definition that has none
};

// Runs the references of the definitions (by the names in their documents) in both engines, on all their
// workloads in the order of the files; nothing is written to the dataset. Throws Error in a sentence when
// there is no Python with torch, and as bench::check_engines does. When `interrupted` becomes true, it
// returns what was compared until then.
[[nodiscard]] validate::ReferenceChecks compare_engines(const ReferenceOptions& options,
                                                        const std::vector<std::string>& definitions,
                                                        const std::atomic<bool>& interrupted);

}  // namespace fib::cmd
