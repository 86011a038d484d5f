#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "util/unique_fd.h"

namespace fib::util {

// An exclusive lock on a file (flock), held while the object lives. The kernel releases it when every
// descriptor of the same open file is gone, so a killed process never leaves it behind; a descriptor passed
// to another process (`fd()`) keeps it held until that process ends too.
class FileLock {
 public:
  // Who takes turns: this user's processes, or those of all users (file mode 0666, folder mode 1777).
  enum class Sharing { kUser, kMachine };

  // Takes the lock if nobody holds it, else nothing. Creates the file and its folder. Throws Error when the
  // file cannot be opened, or is a symbolic link.
  [[nodiscard]] static std::optional<FileLock> try_take(const std::filesystem::path& path, Sharing sharing);

  // Takes the lock, waiting for it. `go_on` is called every 100 ms while somebody else holds it; when it says
  // false, nothing is taken. Throws Error as above.
  [[nodiscard]] static std::optional<FileLock> take(const std::filesystem::path& path, Sharing sharing,
                                                    const std::function<bool()>& go_on);

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace fib::util
