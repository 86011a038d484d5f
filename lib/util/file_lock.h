#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "util/unique_fd.h"

namespace fib::util {

// An exclusive lock on a file (flock), held while the object lives. The kernel releases it when every
// descriptor of the same open file is gone, so a killed process never leaves it behind; a descriptor passed
// to another process
// (`fd()`) keeps it held until that process ends too.
class FileLock {
 public:
  // Takes the lock if nobody holds it, else nothing. Creates the file (mode 0666, so that every user of the
  // machine shares one lock) and its folder (mode 1777). Throws Error when the file cannot be opened.
  [[nodiscard]] static std::optional<FileLock> try_take(const std::filesystem::path& path);

  // Takes the lock, waiting for it. `waiting` is called every 100 ms while somebody else holds it and may
  // throw to give up. Throws Error as above.
  [[nodiscard]] static FileLock take(const std::filesystem::path& path, const std::function<void()>& waiting);

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace fib::util
