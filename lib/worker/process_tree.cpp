#include "worker/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace fib::worker {
namespace {

// The parent of `pid` by /proc/<pid>/stat, or -1. The command name in it is in parentheses and may hold
// anything, so the fields are counted from the last one.
pid_t parent_of(const char* pid) {
  const std::string path = std::string("/proc/") + pid + "/stat";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  char text[512];
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (size <= 0) return -1;
  text[size] = '\0';
  const char* after_name = std::strrchr(text, ')');
  if (after_name == nullptr || std::strlen(after_name) < 4) return -1;
  return std::atoi(after_name + 4);  // ") S <ppid>"
}

std::multimap<pid_t, pid_t> read_tree() {
  std::multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return children;
  while (const dirent* entry = ::readdir(folder.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const pid_t parent = parent_of(entry->d_name);
    if (parent > 0) children.emplace(parent, pid);
  }
  return children;
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> result;
  const auto tree = read_tree();
  for (auto [it, end] = tree.equal_range(parent); it != end; ++it) result.push_back(it->second);
  return result;
}

std::vector<pid_t> descendants_of(pid_t root) {
  const auto tree = read_tree();
  std::vector<pid_t> result{root};
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (auto [it, end] = tree.equal_range(result[i]); it != end; ++it) result.push_back(it->second);
  }
  result.erase(result.begin());
  return result;
}

void kill_tree(pid_t root) {
  std::set<pid_t> stopped{root};
  ::kill(root, SIGSTOP);
  for (bool grew = true; grew;) {
    grew = false;
    for (const pid_t pid : descendants_of(root)) {
      if (!stopped.insert(pid).second) continue;
      ::kill(pid, SIGSTOP);
      grew = true;
    }
  }
  for (const pid_t pid : stopped) ::kill(pid, SIGKILL);
}

}  // namespace fib::worker
