#include "util/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "util/errno_error.h"

namespace fib::util {
namespace {

// Opened without O_CREAT first: with fs.protected_regular even root may not "create" another user's existing
// file in a sticky folder.
UniqueFd open_lock_file(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (fd.valid()) return fd;
  const auto folder = path.parent_path();
  std::error_code ignored;
  if (std::filesystem::create_directories(folder, ignored)) ::chmod(folder.c_str(), 01777);
  fd.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid()) throw errno_error("cannot open the lock file " + path.string());
  ::fchmod(fd.get(), 0666);
  return fd;
}

}  // namespace

std::optional<FileLock> FileLock::try_take(const std::filesystem::path& path) {
  UniqueFd fd = open_lock_file(path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(fd));
  if (errno == EWOULDBLOCK || errno == EINTR) return std::nullopt;
  throw errno_error("cannot lock " + path.string());
}

FileLock FileLock::take(const std::filesystem::path& path, const std::function<void()>& waiting) {
  while (true) {
    if (auto lock = try_take(path)) return std::move(*lock);
    waiting();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace fib::util
