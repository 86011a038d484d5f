#include "compile/cache_leftovers.h"

#include <string>
#include <string_view>
#include <vector>

#include "util/beneath.h"
#include "util/error.h"
#include "util/file_lock.h"
#include "util/files.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryMark = ".tmp-";

// A link leads to what is no part of the cache.
std::vector<fs::path> folders_of(const fs::path& folder) {
  std::vector<fs::path> folders;
  for (const auto& entry : util::entries_of(folder)) {
    if (!entry.is_symlink() && entry.is_directory()) folders.push_back(entry.path());
  }
  return folders;
}

// Keys are SHA-256 digests: what is called otherwise is nothing that a build has left.
bool is_key(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void remove_if_unused(const fs::path& cache, const fs::path& folder) {
  const std::string name = folder.filename();
  const std::size_t mark = name.find(kTemporaryMark);
  if (mark == std::string::npos || !is_key(std::string_view(name).substr(0, mark))) return;
  try {
    const auto lock = util::FileLock::try_take(cache / "locks" / (name.substr(0, mark) + ".lock"),
                                               util::FileLock::Sharing::kUser);
    if (lock) util::remove_tree(folder);
  } catch (const Error&) {
    // Somebody else's cache, or a disk that fails.
  }
}

}  // namespace

void remove_cache_leftovers(const fs::path& cache) {
  for (const auto& kind : folders_of(cache)) {
    for (const auto& group : folders_of(kind)) {
      for (const auto& folder : folders_of(group)) remove_if_unused(cache, folder);
    }
  }
}

}  // namespace fib::compile
