#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

namespace fib::dataset {

// Fetches the data of Git LFS pointers: `git lfs pull --include` for `files`, which lie below `root`, a
// folder of a git repository. Takes at most 500 s, and ends when `interrupted` (which may be null) becomes
// true. Throws Error with git's words when there is no git, no git-lfs, no repository or no data. A dataset
// may come from anywhere, and git runs programs that a repository's configuration names: a repository whose
// own configuration says more than `git clone` and `git lfs install` write there is refused, and so is one
// with links where git-lfs keeps what it fetches. No file that is written is much larger than the largest
// that is asked for.
void pull_lfs(const std::filesystem::path& root, const std::vector<std::filesystem::path>& files,
              const std::atomic<bool>* interrupted);

}  // namespace fib::dataset
