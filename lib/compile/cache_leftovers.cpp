#include "compile/cache_leftovers.h"

#include <string>

#include "util/beneath.h"
#include "util/error.h"
#include "util/file_lock.h"
#include "util/files.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryMark = ".tmp-";

void remove_if_unused(const fs::path& cache, const fs::path& folder) {
  const std::string name = folder.filename();
  const std::size_t mark = name.find(kTemporaryMark);
  if (mark == std::string::npos) return;
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
  for (const auto& kind : util::entries_of(cache)) {
    for (const auto& group : util::entries_of(kind)) {
      for (const auto& folder : util::entries_of(group)) remove_if_unused(cache, folder);
    }
  }
}

}  // namespace fib::compile
