#include "util/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

#include "util/clock.h"
#include "util/errno_error.h"
#include "util/lock_holders.h"

namespace fib::util {
namespace {

// Opened without O_CREAT first: with fs.protected_regular even root may not "create" another user's existing
// file in a sticky folder. Links are not followed, and only what was made here gets its mode: the folder may
// be anybody's.
UniqueFd open_lock_file(const std::filesystem::path& path, FileLock::Sharing sharing) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (fd.valid()) return fd;
  const bool machine = sharing == FileLock::Sharing::kMachine;
  const auto folder = path.parent_path();
  std::error_code ignored;
  if (std::filesystem::create_directories(folder, ignored) && machine) ::chmod(folder.c_str(), 01777);
  fd.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (fd.valid() && machine) ::fchmod(fd.get(), 0666);
  if (!fd.valid() && errno == EEXIST) fd.reset(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) throw errno_error("cannot open the lock file " + path.string());
  return fd;
}

// False when somebody else holds it.
bool try_lock_for_writing(int fd, const std::filesystem::path& path) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &whole) == 0) return true;
  if (errno == EAGAIN || errno == EACCES || errno == EINTR) return false;
  throw errno_error("cannot lock " + path.string());
}

}  // namespace

void lock_for_writing(int fd, const std::filesystem::path& path, std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kLongestPause{50};
  const std::int64_t end = monotonic_ns() + limit.count() * 1'000'000;
  for (std::chrono::milliseconds pause{1}; !try_lock_for_writing(fd, path);
       pause = std::min(2 * pause, kLongestPause)) {
    if (monotonic_ns() > end) {
      const std::string holders = lock_holders(fd);
      throw Error("{} is locked by {} for more than {} s; end that process, or wait for it, and try again",
                  path.string(), holders.empty() ? "another process" : holders,
                  static_cast<double>(limit.count()) / 1e3);
    }
    std::this_thread::sleep_for(pause);
  }
}

std::optional<FileLock> FileLock::try_take(const std::filesystem::path& path, Sharing sharing) {
  UniqueFd fd = open_lock_file(path, sharing);
  if (sharing == Sharing::kUser) {
    if (!try_lock_for_writing(fd.get(), path)) return std::nullopt;
    return FileLock(std::move(fd));
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(fd));
  if (errno == EWOULDBLOCK || errno == EINTR) return std::nullopt;
  throw errno_error("cannot lock " + path.string());
}

std::optional<FileLock> FileLock::take(const std::filesystem::path& path, Sharing sharing,
                                       const std::function<bool()>& go_on) {
  while (true) {
    if (auto lock = try_take(path, sharing)) return lock;
    if (!go_on()) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

FileLock FileLock::take_within(const std::filesystem::path& path, std::chrono::milliseconds limit) {
  UniqueFd fd = open_lock_file(path, Sharing::kUser);
  lock_for_writing(fd.get(), path, limit);
  return FileLock(std::move(fd));
}

void FileLock::give_up() {
  (void)::flock(fd_.get(), LOCK_UN);
  struct flock whole {};
  whole.l_type = F_UNLCK;
  whole.l_whence = SEEK_SET;
  (void)::fcntl(fd_.get(), F_OFD_SETLK, &whole);
}

}  // namespace fib::util
