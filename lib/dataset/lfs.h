#pragma once

#include <filesystem>
#include <vector>

namespace fib::dataset {

// Fetches the data of Git LFS pointers: `git lfs pull --include` for `files`, which lie below `root`, a
// folder of a git repository. Takes at most 500 s. Throws Error with git's words when there is no git, no
// git-lfs, no repository or no data.
void pull_lfs(const std::filesystem::path& root, const std::vector<std::filesystem::path>& files);

}  // namespace fib::dataset
