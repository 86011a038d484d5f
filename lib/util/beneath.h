#pragma once

#include <filesystem>

#include "util/unique_fd.h"

namespace fib::util {

// Ways into a folder whose content somebody else has made: no symbolic link below `root` is followed, so that
// nothing outside of it is reached. `root` is an open folder; `relative` has components that are names
// ("a/b", no "..", not absolute), else Error. What the system refuses is a std::system_error whose text names
// the path (a link, or something else than a folder on the way: ELOOP or ENOTDIR). Any thread.

// The folder itself, which the caller trusts: links on the way to it are followed.
[[nodiscard]] UniqueFd open_folder(const std::filesystem::path& folder);

// A folder below; empty `relative` is `root` itself. With `create` missing ones are made (mode 0777 and
// umask), and each is on the disk when this returns.
[[nodiscard]] UniqueFd folder_beneath(int root, const std::filesystem::path& relative, bool create);

// The file `relative` below `root`, opened with these flags of open(2) (O_CLOEXEC and O_NOFOLLOW besides).
[[nodiscard]] UniqueFd file_beneath(int root, const std::filesystem::path& relative, int flags,
                                    unsigned mode = 0666);

// Whether `path` is `folder` or lies below it, by their texts alone: both absolute ("a/..", "." and a final
// slash do not matter). Where links may be on the way, give both as std::filesystem::canonical() has them.
[[nodiscard]] bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

// Whether a component of a relative path is hidden: its name begins with ".", and it is neither "." nor "..".
// What programs keep for themselves in a folder, as git does in .git, has such names.
[[nodiscard]] bool is_hidden(const std::filesystem::path& relative);

// Removes `folder` with everything in it, however deep it is and whatever its modes are, with few
// descriptors; links are removed, not followed. What cannot be removed stays: failures are ignored.
void remove_tree(const std::filesystem::path& folder);

}  // namespace fib::util
