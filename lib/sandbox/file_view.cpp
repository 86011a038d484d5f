#include "sandbox/file_view.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "sandbox/files_of_root.h"
#include "sandbox/namespaces.h"
#include "util/beneath.h"
#include "util/files.h"
#include "util/unique_fd.h"

namespace fib::sandbox {
namespace {

namespace fs = std::filesystem;

// sys/mount.h and linux/mount.h cannot be included together everywhere.
constexpr unsigned long kNoSetuid = 2;
constexpr unsigned long kNoDevices = 4;
constexpr unsigned long kNoPrograms = 8;
constexpr unsigned long kBind = 4096;
constexpr unsigned long kMove = 8192;
constexpr unsigned long kRecursive = 16384;
constexpr unsigned long kRecursivePrivate = kRecursive | (1UL << 18U);
constexpr int kDetach = 2;

// The view's own folders and links take no more.
constexpr const char* kRootOptions = "size=1m,mode=755";
// Files of a private folder: a cap on what their inodes take of the kernel's memory.
constexpr std::uint64_t kMostFiles = 1'000'000;

bool mount(const fs::path& source, const fs::path& target, const char* kind, unsigned long flags,
           const std::string& options = {}) {
  return ::syscall(SYS_mount, source.c_str(), target.c_str(), kind, flags, options.c_str()) == 0;
}

bool set_attributes(const fs::path& path, std::uint64_t set, std::uint64_t clear, unsigned flags) {
  mount_attr attributes{};
  attributes.attr_set = set;
  attributes.attr_clr = clear;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path.c_str(), flags, &attributes, sizeof attributes) == 0;
}

// An empty file system in memory, that holds so much, over a folder.
bool mount_private(const fs::path& folder, std::uint64_t bytes) {
  const std::string options = "mode=700,size=" + std::to_string(std::max<std::uint64_t>(bytes, 1)) +
                              ",nr_inodes=" + std::to_string(kMostFiles);
  return mount("tmpfs", folder, "tmpfs", kNoSetuid | kNoDevices, options);
}

// A view in the making, below `root`.
class Builder {
 public:
  explicit Builder(fs::path root) : root_(std::move(root)) {}

  // An empty file system in memory.
  bool add_private(const fs::path& path, std::uint64_t bytes) {
    std::error_code error;
    fs::create_directories(at(path), error);
    return mount_private(at(path), bytes);
  }

  // The file or folder, and what is mounted below it, at its own path. Where it is in sight already, because
  // a wider folder is, it stays as it is unless it is to have attributes of its own.
  enum class InSight { kStays, kIsLaidOver };
  bool add(const fs::path& path, std::uint64_t attributes, InSight in_sight) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || real == "/") return true;  // it is not there, or is everything, which is never shown
    if (in_sight == InSight::kIsLaidOver || !is_shown(real)) {
      if (!bind(real)) return false;
      if (!set_attributes(at(real), attributes, 0, AT_RECURSIVE)) return false;
      shown_.push_back(real);
    }
    return link(path, real);
  }

  bool link(const fs::path& path, const fs::path& target) {
    if (path == target || fs::exists(fs::symlink_status(at(path), ignored_))) return true;
    if (std::any_of(shown_.begin(), shown_.end(), [&](const auto& one) { return util::lies_in(path, one); }))
      return true;  // below something that is shown as it is
    std::error_code error;
    fs::create_directories(at(path).parent_path(), error);
    fs::create_symlink(target, at(path), error);
    return !error;
  }

  // /proc with the processes of this PID namespace, whose files may be written. What else is there is what is
  // in sight now, with all that lies over it, and cannot be written.
  bool add_processes() {
    const fs::path place = at("/proc");
    std::error_code error;
    fs::create_directories(place, error);
    if (!mount("proc", place, "proc", kNoSetuid | kNoDevices | kNoPrograms)) return false;
    for (const auto& entry : util::entries_of(place)) {
      const fs::path name = entry.path().filename();
      const bool is_process = name.string().find_first_not_of("0123456789") == std::string::npos;
      if (is_process || fs::is_symlink(fs::symlink_status(entry.path(), error))) continue;
      if (!mount("/proc" / name, entry.path(), nullptr, kBind | kRecursive) ||
          !set_attributes(entry.path(), MOUNT_ATTR_RDONLY, 0, AT_RECURSIVE))
        return false;
    }
    return true;
  }

  // What is in sight there is not: nothing is in the folder, nothing can be read from the file.
  bool cover(const fs::path& path) {
    const fs::path place = at(path);
    if (!fs::is_directory(fs::symlink_status(place, ignored_)))
      return mount(at("/dev/null"), place, nullptr, kBind);
    return mount("tmpfs", place, "tmpfs", kNoSetuid | kNoDevices, "mode=755,size=4k") &&
           set_attributes(place, MOUNT_ATTR_RDONLY, 0, 0);
  }

  [[nodiscard]] fs::path at(const fs::path& path) const { return root_ / path.relative_path(); }

 private:
  [[nodiscard]] bool is_shown(const fs::path& real) const {
    return std::any_of(shown_.begin(), shown_.end(),
                       [&](const auto& one) { return util::lies_in(real, one); });
  }

  bool bind(const fs::path& real) {
    std::error_code error;
    if (fs::is_directory(real, error)) {
      fs::create_directories(at(real), error);
    } else {
      fs::create_directories(at(real).parent_path(), error);
      const util::UniqueFd made(::open(at(real).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
      if (!made.valid()) return false;
    }
    return !error && mount(real, at(real), nullptr, kBind | kRecursive);
  }

  fs::path root_;
  std::vector<fs::path> shown_;
  std::error_code ignored_;
};

bool build(const FileView& view, Builder& builder) {
  constexpr std::uint64_t kProgram = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (!builder.add_private("/tmp", view.private_bytes) ||
      !builder.add_private("/dev/shm", view.private_bytes))
    return false;
  if (!builder.link("/var/tmp", "/tmp")) return false;
  // Wider folders first, so that what lies in them is there already.
  auto readable = view.readable;
  std::sort(readable.begin(), readable.end());
  for (const auto& path : readable) {
    if (!builder.add(path, kProgram, Builder::InSight::kStays)) return false;
  }
  for (const auto& path : view.writable) {
    if (!builder.add(path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, Builder::InSight::kIsLaidOver)) return false;
  }
  for (const auto& path : view.devices) {
    if (!builder.add(path, MOUNT_ATTR_NOSUID, Builder::InSight::kStays)) return false;
  }
  if (!builder.add("/sys", kProgram, Builder::InSight::kStays)) return false;
  if (view.own_processes ? !builder.add_processes()
                         : !builder.add("/proc", kProgram, Builder::InSight::kStays))
    return false;
  const auto hidden = ::geteuid() == 0 ? files_of_root() : std::vector<fs::path>{};
  if (!std::all_of(hidden.begin(), hidden.end(), [&](const auto& path) { return builder.cover(path); }))
    return false;
  // CUDA names its threads by writing below the process's own folder.
  const fs::path own = builder.at("/proc/" + std::to_string(::getpid()));
  if (!view.own_processes &&
      (!mount(own, own, nullptr, kBind) || !set_attributes(own, 0, MOUNT_ATTR_RDONLY, 0)))
    return false;
  return builder.link("/dev/fd", "/proc/self/fd") && builder.link("/dev/stdin", "/proc/self/fd/0") &&
         builder.link("/dev/stdout", "/proc/self/fd/1") && builder.link("/dev/stderr", "/proc/self/fd/2");
}

// Makes `root` the root folder. Where that is the machine's first file system (an initramfs), which cannot be
// taken down, `root` is laid over it; nobody without capabilities gets below.
bool enter(const fs::path& root) {
  if (::chdir(root.c_str()) != 0) return false;
  if (::syscall(SYS_pivot_root, ".", ".") == 0) return ::syscall(SYS_umount2, ".", kDetach) == 0;
  return mount(root, "/", nullptr, kMove) && ::chroot(".") == 0;
}

}  // namespace

bool limit_folder(const fs::path& folder, std::uint64_t bytes) {
  return enter_new_namespaces(CLONE_NEWNS) && mount("none", "/", nullptr, kRecursivePrivate) &&
         mount_private(folder, bytes);
}

bool enter_file_view(const FileView& view, const fs::path& place) {
  if (!enter_new_namespaces(CLONE_NEWNS) || !mount("none", "/", nullptr, kRecursivePrivate)) return false;
  if (!mount("tmpfs", place, "tmpfs", kNoSetuid | kNoDevices, kRootOptions)) return false;
  Builder builder(place);
  if (build(view, builder) && set_attributes(place, MOUNT_ATTR_RDONLY, 0, 0) && enter(place))
    return ::chdir("/tmp") == 0;
  ::syscall(SYS_umount2, place.c_str(), kDetach);
  return false;
}

}  // namespace fib::sandbox
