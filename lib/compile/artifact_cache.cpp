#include "compile/artifact_cache.h"

#include <algorithm>

#include "util/error.h"
#include "util/file_lock.h"
#include "util/files.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;

// What killed builders of the same entry left behind; called with its lock held.
void remove_leftovers(const fs::path& parent, const std::string& prefix) {
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(prefix)) fs::remove_all(entry.path());
  }
}

}  // namespace

CacheResult through_cache(const CacheEntry& entry,
                          const std::function<std::string(const fs::path&, const fs::path&)>& build) try {
  const fs::path parent = entry.cache / entry.kind / entry.key.substr(0, 2);
  const fs::path folder = parent / entry.key;
  fs::create_directories(parent);
  const auto lock = util::FileLock::take(entry.cache / "locks" / (entry.key + ".lock"),
                                         util::FileLock::Sharing::kUser, [] { return true; });
  const bool complete = std::all_of(entry.files.begin(), entry.files.end(),
                                    [&](const std::string& file) { return fs::exists(folder / file); });
  if (complete) return {folder, true, {}};
  fs::remove_all(folder);
  remove_leftovers(parent, entry.key + ".tmp-");
  const util::TemporaryFolder temporary(parent, entry.key + ".tmp-");
  const fs::path out = temporary.path() / "out";
  fs::create_directory(out);
  std::string failure = build(temporary.path(), out);
  if (failure.empty()) fs::rename(out, folder);
  return {folder, false, std::move(failure)};
} catch (const fs::filesystem_error& error) {
  throw Error("cannot use the cache {}: {}", entry.cache.string(), error.what());
}

}  // namespace fib::compile
