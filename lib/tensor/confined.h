#pragma once

#include <filesystem>

namespace fib::tensor {

// `relative` (an absolute path is allowed too) below `root`, with every symbolic link and ".." resolved; it
// need not exist. Throws Error when that place is not inside `root`, when a link leads nowhere, or when links
// form a loop. Whoever can change folders under `root` in the meantime can still lead the path elsewhere
// afterwards.
[[nodiscard]] std::filesystem::path confined(const std::filesystem::path& root,
                                             const std::filesystem::path& relative);

}  // namespace fib::tensor
