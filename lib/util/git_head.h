#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fib::util {

// What a git repository's HEAD names.
struct GitHead {
  std::optional<std::string> commit;  // 40 or 64 hex digits; nothing: no commit yet
  std::optional<std::string> branch;  // "main"; nothing: HEAD is detached
};

// The HEAD of the repository that `folder` lies in: the first folder upwards with a .git that is a repository
// or, as in worktrees and submodules, a file that names one. Nothing where there is none, or none that can be
// read. Files are read by hand, by the rules of gitrepository-layout(5): no git is started, so that nothing
// of a repository's configuration can run, and none needs to be installed. Hence only refs that are files or
// lines of packed-refs are known (no reftable), and nothing is said of changes that are not committed. Reads
// regular files of at most 64 MiB. Does not throw.
[[nodiscard]] std::optional<GitHead> git_head(const std::filesystem::path& folder);

}  // namespace fib::util
