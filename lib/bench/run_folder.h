#pragma once

#include <filesystem>
#include <optional>

#include "util/file_lock.h"
#include "util/files.h"
#include "worker/spawner.h"

namespace fib::bench {

// The folder of one run's temporary files ("fib-run-" and six characters), removed at the end: by this
// object, or by the keeper where the coordinator was killed. A lock says that the run lives; the keeper holds
// it as well.
class RunFolder {
 public:
  // Makes a folder in `parent`. Throws Error.
  RunFolder(const std::filesystem::path& parent, worker::Spawner& spawner);
  [[nodiscard]] const std::filesystem::path& path() const { return folder_->path(); }

 private:
  std::optional<util::TemporaryFolder> folder_;
  std::optional<util::FileLock> lock_;
};

// Removes the folders in `parent` of this user's runs of which no process is left: coordinator and keeper
// were killed together, by a machine without memory. What cannot be removed stays, without a word.
void sweep_run_folders(const std::filesystem::path& parent);

}  // namespace fib::bench
