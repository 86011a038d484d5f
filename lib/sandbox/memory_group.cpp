#include "sandbox/memory_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <sstream>

#include "util/files.h"
#include "util/kernel_files.h"

namespace fib::sandbox {
namespace {

namespace fs = std::filesystem;

// Whether the groups in this folder can have a limit on memory.
bool divides_memory(const fs::path& folder) {
  std::istringstream controllers(util::read_kernel_file(folder / "cgroup.subtree_control"));
  for (std::string name; controllers >> name;) {
    if (name == "memory") return true;
  }
  return false;
}

// Empty where cgroup v2 is not mounted.
fs::path mount_point(const std::string& mounts) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string device;
    std::string folder;
    std::string type;
    if (fields >> device >> folder >> type && type == "cgroup2") return folder;
  }
  return {};
}

// The group that fib runs in; empty where there is none, or where it lies outside of what is mounted here.
fs::path own_group(const std::string& mounts, const std::string& own) {
  const fs::path mounted = mount_point(mounts);
  std::istringstream lines(own);
  for (std::string line; !mounted.empty() && std::getline(lines, line);) {
    if (line.rfind("0::/", 0) != 0) continue;
    const fs::path path = fs::path(line.substr(4)).lexically_normal();
    if (path.empty() || path == ".") return mounted;
    return *path.begin() == ".." ? fs::path() : mounted / path;
  }
  return {};
}

}  // namespace

fs::path place_for_groups(const std::string& mounts, const std::string& own) {
  const fs::path group = own_group(mounts, own);
  // The first group of all is the one that may have processes and be divided.
  return group == mount_point(mounts) ? group : group.parent_path();
}

fs::path place_for_groups() {
  const std::string mounts = util::read_kernel_file("/proc/self/mounts");
  const std::string own = util::read_kernel_file("/proc/self/cgroup");
  return has_limits(own_group(mounts, own)) ? fs::path() : place_for_groups(mounts, own);
}

bool has_limits(const fs::path& group) {
  for (const char* name : {"memory.max", "memory.high", "cpu.max", "cpuset.cpus", "cpuset.mems"}) {
    std::string first;
    std::istringstream(util::read_kernel_file(group / name)) >> first;
    if (!first.empty() && first != "max") return true;
  }
  return false;
}

std::unique_ptr<MemoryGroup> MemoryGroup::make(const fs::path& place, const std::string& name,
                                               std::uint64_t bytes) {
  if (place.empty() || !divides_memory(place)) return nullptr;
  std::string folder = (place / (name + "-XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr) return nullptr;
  auto group = std::unique_ptr<MemoryGroup>(new MemoryGroup(folder));
  if (!group->processes_.valid() || !util::write_kernel_file(folder + "/memory.max", std::to_string(bytes))) {
    (void)group->remove();
    return nullptr;
  }
  // All of its processes end together. Where there is no swap there is no file for it.
  (void)util::write_kernel_file(folder + "/memory.oom.group", "1");
  (void)util::write_kernel_file(folder + "/memory.swap.max", "0");
  return group;
}

MemoryGroup::MemoryGroup(fs::path folder)
    : folder_(std::move(folder)),
      processes_(::open((folder_ / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)) {}

MemoryGroup::~MemoryGroup() = default;

bool MemoryGroup::enter() const { return ::write(processes_.get(), "0", 1) == 1; }

bool MemoryGroup::was_exhausted() const {
  std::istringstream events(util::read_kernel_file(folder_ / "memory.events"));
  std::string name;
  for (std::uint64_t count = 0; events >> name >> count;) {
    // "oom": the limit was reached and nothing could be reclaimed; "oom_kill" counts what the machine's own
    // want of memory ended, too.
    if (name == "oom") return count > 0;
  }
  return false;
}

bool MemoryGroup::remove() const { return ::rmdir(folder_.c_str()) == 0 || errno == ENOENT; }

void remove_groups(const fs::path& place, const std::string& name, std::int64_t seconds) {
  const std::time_t newest = std::time(nullptr) - seconds;
  for (const auto& entry : util::entries_of(place)) {
    struct stat info {};
    if (entry.path().filename().string().rfind(name + "-", 0) == 0 &&
        (seconds == 0 || (::stat(entry.path().c_str(), &info) == 0 && info.st_mtime <= newest)))
      ::rmdir(entry.path().c_str());
  }
}

}  // namespace fib::sandbox
