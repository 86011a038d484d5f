#include "worker/private_files.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <system_error>

#include "util/unique_fd.h"

namespace fib::worker {
namespace {

namespace fs = std::filesystem;

// sys/mount.h and linux/mount.h cannot be included together everywhere.
constexpr unsigned long kBind = 4096;
constexpr unsigned long kRecursive = 16384;
constexpr unsigned long kRecursivePrivate = kRecursive | (1UL << 18U);

bool mount(const char* source, const char* target, unsigned long flags) {
  return ::syscall(SYS_mount, source, target, nullptr, flags, nullptr) == 0;
}

bool set_read_only(const char* path, bool read_only, unsigned flags) {
  mount_attr attributes{};
  (read_only ? attributes.attr_set : attributes.attr_clr) = MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attributes, sizeof attributes) == 0;
}

bool write_text(const char* path, const std::string& text) {
  const util::UniqueFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// As root a mount namespace is enough; others need a user namespace in which they stay who they are. The
// files of a process that is not dumpable belong to root: it is dumpable while it writes them.
bool unshare_mounts() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  const int dumpable = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  const bool mapped = write_text("/proc/self/setgroups", "deny") &&
                      write_text("/proc/self/uid_map", uid + " " + uid + " 1") &&
                      write_text("/proc/self/gid_map", gid + " " + gid + " 1");
  ::prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
  return mapped;
}

struct Place {
  const char* path;
  const char* name;
};
constexpr std::array<Place, 3> kPlaces = {
    {{"/tmp", "tmp"}, {"/var/tmp", "var-tmp"}, {"/dev/shm", "dev-shm"}}};

// Keeps `path`, if one of the places hides it, in sight: bound into the folder that will lie there.
bool keep_visible(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  for (const auto& place : kPlaces) {
    const fs::path inside = path.lexically_relative(place.path);
    if (inside.empty() || *inside.begin() == ".." || inside == "." || !fs::is_directory(path, error))
      continue;
    const fs::path target = folder / place.name / inside;
    fs::create_directories(target, error);
    return !error && mount(path.c_str(), target.c_str(), kBind);
  }
  return true;
}

}  // namespace

bool enter_private_files(const fs::path& folder, const std::vector<fs::path>& visible) {
  std::error_code error;
  if (!unshare_mounts() || !mount(nullptr, "/", kRecursivePrivate)) return false;
  for (const auto& place : kPlaces) fs::create_directory(folder / place.name, error);
  for (const auto& path : visible) {
    if (!keep_visible(folder, path)) return false;
  }
  // /tmp last: `folder` itself may lie in it.
  for (auto place = kPlaces.rbegin(); place != kPlaces.rend(); ++place) {
    if (!fs::exists(place->path, error)) continue;
    if (!mount((folder / place->name).c_str(), place->path, kBind | kRecursive)) return false;
  }
  if (!set_read_only("/", true, AT_RECURSIVE)) return false;
  // CUDA names its threads by writing below the process's own folder.
  const std::string own = "/proc/" + std::to_string(::getpid());
  if (!mount(own.c_str(), own.c_str(), kBind) || !set_read_only(own.c_str(), false, 0)) return false;
  for (const auto& place : kPlaces) {
    if (fs::exists(place.path, error) && !set_read_only(place.path, false, 0)) return false;
  }
  ::setenv("TMPDIR", "/tmp", 1);
  ::setenv("HOME", "/tmp", 1);
  return ::chdir("/tmp") == 0;
}

}  // namespace fib::worker
