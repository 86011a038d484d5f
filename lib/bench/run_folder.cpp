#include "bench/run_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "util/beneath.h"

namespace fib::bench {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPrefix = "fib-run-";
constexpr const char* kLock = "in-use";

using Sharing = util::FileLock::Sharing;

// A folder that belongs to this user: others may make what they like in a folder for all.
bool is_ours(const fs::path& folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

// One without a lock is just being made.
bool is_deserted(const fs::path& folder) try {
  return fs::exists(fs::symlink_status(folder / kLock)) &&
         util::FileLock::try_take(folder / kLock, Sharing::kUser).has_value();
} catch (const std::exception&) {
  return false;
}

}  // namespace

// Another run may try the lock of a folder that is just being made.
RunFolder::RunFolder(const fs::path& parent, worker::Spawner& spawner) {
  while (!lock_) {
    folder_.emplace(parent, kPrefix);
    lock_ = util::FileLock::try_take(path() / kLock, Sharing::kUser);
  }
  spawner.hold(lock_->fd());
  spawner.remove_at_end(path());
}

void sweep_run_folders(const fs::path& parent) {
  for (const auto& entry : util::entries_of(parent)) {
    const fs::path& folder = entry.path();
    if (folder.filename().string().starts_with(kPrefix) && is_ours(folder) && is_deserted(folder))
      util::remove_tree(folder);
  }
}

}  // namespace fib::bench
