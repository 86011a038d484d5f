#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "util/unique_fd.h"

namespace fib::util {

// Takes a write lock on the whole open file (fcntl, F_OFD_SETLKW), waiting at most `limit`. The descriptor
// must be open for writing: who may only read a file can neither take this lock nor, with flock or a read
// lock, keep others from it. The lock is gone with the last descriptor of the open file. Throws Error when it
// cannot be taken; after `limit` with a sentence that names `path` and, where /proc tells it, who holds it.
void lock_for_writing(int fd, const std::filesystem::path& path, std::chrono::milliseconds limit);

// An exclusive lock on a file, held while the object lives. The kernel releases it when every descriptor of
// the same open file is gone, so a killed process never leaves it behind; a descriptor passed to another
// process (`fd()`) keeps it held until that process ends too.
class FileLock {
 public:
  // Who takes turns: this user's processes (file mode 0644; who may only read it takes no part), or those of
  // all users (file mode 0666, folder mode 1777; flock, so that all versions of fib take turns).
  enum class Sharing { kUser, kMachine };

  // Takes the lock if nobody holds it, else nothing. Creates the file and its folder. Throws Error when the
  // file cannot be opened, or is a symbolic link.
  [[nodiscard]] static std::optional<FileLock> try_take(const std::filesystem::path& path, Sharing sharing);

  // Takes the lock, waiting for it. `go_on` is called every 100 ms while somebody else holds it; when it says
  // false, nothing is taken. Throws Error as above.
  [[nodiscard]] static std::optional<FileLock> take(const std::filesystem::path& path, Sharing sharing,
                                                    const std::function<bool()>& go_on);

  // A lock of this user's processes; waits at most `limit`. Throws Error as above, and as lock_for_writing()
  // when somebody holds it all that time.
  [[nodiscard]] static FileLock take_within(const std::filesystem::path& path,
                                            std::chrono::milliseconds limit);

  [[nodiscard]] int fd() const { return fd_.get(); }

  // Releases the lock, also for processes that have the descriptor.
  void give_up();

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace fib::util
