#include "util/lock_holders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "util/files.h"
#include "util/kernel_files.h"

namespace fib::util {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 123 08:01:456 0 EOF". Locks of open files (OFDLCK) have
// no process there.
void add_listed(const struct stat& file, std::set<std::string>& pids) {
  const std::string wanted =
      fmt::format("{:02x}:{:02x}:{}", ::major(file.st_dev), ::minor(file.st_dev), file.st_ino);
  std::istringstream lines(read_kernel_file("/proc/locks"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, mode, pid, place;
    words >> number >> kind >> advisory >> mode >> pid >> place;
    if (place == wanted && is_number(pid)) pids.insert(pid);
  }
}

// Whether one of the process's descriptors holds a lock on the file.
bool holds(const fs::path& process, const struct stat& file) {
  for (const auto& entry : entries_of(process / "fdinfo")) {
    if (read_kernel_file(entry.path()).find("\nlock:") == std::string::npos) continue;
    struct stat open {};
    const fs::path descriptor = process / "fd" / entry.path().filename();
    if (::stat(descriptor.c_str(), &open) == 0 && open.st_dev == file.st_dev && open.st_ino == file.st_ino)
      return true;
  }
  return false;
}

}  // namespace

std::string lock_holders(int fd) {
  struct stat file {};
  if (::fstat(fd, &file) != 0) return {};
  std::set<std::string> pids;
  add_listed(file, pids);
  for (const auto& entry : entries_of("/proc")) {
    const std::string pid = entry.path().filename();
    if (is_number(pid) && !pids.contains(pid) && holds(entry.path(), file)) pids.insert(pid);
  }
  std::string result;
  for (const auto& pid : pids) {
    std::string name = read_kernel_file(fs::path("/proc") / pid / "comm");
    if (name.ends_with('\n')) name.pop_back();
    result += fmt::format("{}process {} ({})", result.empty() ? "" : ", ", pid, name);
  }
  return result;
}

}  // namespace fib::util
