#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "validate/strength.h"

namespace fib::cmd {

// Lets null answers be judged on the workloads of the definitions (by the names in their documents), on the
// CPU; nothing is written to the dataset. Where a definition has no workloads, `synthesize` are proposed.
// Throws as bench::check_strength does. When `interrupted` becomes true, it returns what was judged until
// then.
[[nodiscard]] validate::StrengthChecks judge_null_answers(const std::filesystem::path& root,
                                                          std::size_t synthesize,
                                                          const std::vector<std::string>& definitions,
                                                          const std::atomic<bool>& interrupted);

}  // namespace fib::cmd
