#include "util/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "util/error.h"

namespace fib::util {
namespace {

namespace fs = std::filesystem;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

[[noreturn]] void fail(const fs::path& path) {
  throw std::system_error(errno, std::generic_category(), path.string());
}

bool is_name(const fs::path& component) {
  return !component.empty() && component != "." && component != ".." && !component.has_root_directory();
}

UniqueFd next_folder(int parent, const fs::path& name, bool create, const fs::path& shown) {
  UniqueFd folder(::openat(parent, name.c_str(), kFolderFlags));
  if (folder.valid() || errno != ENOENT || !create) {
    if (!folder.valid()) fail(shown);
    return folder;
  }
  if (::mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) fail(shown);  // another may be faster
  folder.reset(::openat(parent, name.c_str(), kFolderFlags));
  if (!folder.valid() || ::fsync(parent) != 0) fail(shown);
  return folder;
}

using Entries = std::unique_ptr<DIR, int (*)(DIR*)>;

Entries open_entries(UniqueFd folder) {
  Entries entries(::fdopendir(folder.get()), ::closedir);
  if (entries) (void)folder.release();
  return entries;
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const Entries entries = open_entries(UniqueFd(::openat(folder, ".", kFolderFlags)));
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

// So that it can be entered and, when it is moved, its ".." be written.
void make_enterable(int parent, const std::string& name) {
  struct stat status {};
  if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
    ::fchmodat(parent, name.c_str(), 0700, 0);
}

// Empties the folder `name` of `top` by moving its folders up into `top`, and removes it.
void flatten(int top, const std::string& name, std::uint64_t& moved) {
  make_enterable(top, name);
  const UniqueFd folder(::openat(top, name.c_str(), kFolderFlags));
  if (!folder.valid()) return;
  for (const auto& inner : names_in(folder.get())) {
    if (::unlinkat(folder.get(), inner.c_str(), 0) == 0) continue;
    const std::string place = "fib-removes-" + std::to_string(moved++);
    make_enterable(folder.get(), inner);
    (void)::renameat(folder.get(), inner.c_str(), top, place.c_str());
  }
  ::unlinkat(top, name.c_str(), AT_REMOVEDIR);
}

}  // namespace

bool is_hidden(const fs::path& relative) {
  return std::any_of(relative.begin(), relative.end(), [](const fs::path& component) {
    return component.native().starts_with('.') && component != "." && component != "..";
  });
}

UniqueFd open_folder(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) fail(folder);
  return fd;
}

UniqueFd folder_beneath(int root, const fs::path& relative, bool create) {
  UniqueFd folder(::openat(root, ".", kFolderFlags));
  if (!folder.valid()) fail(relative);
  fs::path shown;
  for (const auto& component : relative) {
    if (!is_name(component)) throw Error("{} is no path below a folder", relative.string());
    shown /= component;
    folder = next_folder(folder.get(), component, create, shown);
  }
  return folder;
}

UniqueFd file_beneath(int root, const fs::path& relative, int flags, unsigned mode) {
  if (!is_name(relative.filename())) throw Error("{} is no path below a folder", relative.string());
  const UniqueFd folder = folder_beneath(root, relative.parent_path(), false);
  UniqueFd file(::openat(folder.get(), relative.filename().c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!file.valid()) fail(relative);
  return file;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path inner = path.lexically_normal();
  const fs::path outer = folder.lexically_normal();
  const auto [in_outer, in_inner] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  // A folder with a final slash ends with an empty component.
  return in_outer == outer.end() || (in_outer->empty() && std::next(in_outer) == outer.end());
}

void remove_tree(const fs::path& folder) {
  make_enterable(AT_FDCWD, folder);
  const UniqueFd top(::open(folder.c_str(), kFolderFlags));
  if (!top.valid()) return;
  std::uint64_t moved = 0;
  // Each pass removes a level of every tree. What cannot be removed would be found again for ever.
  for (auto names = names_in(top.get()); !names.empty();) {
    for (const auto& name : names) {
      if (::unlinkat(top.get(), name.c_str(), 0) != 0) flatten(top.get(), name, moved);
    }
    auto left = names_in(top.get());
    if (left == names) break;
    names = std::move(left);
  }
  ::rmdir(folder.c_str());
}

}  // namespace fib::util
