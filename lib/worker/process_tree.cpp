#include "worker/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
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

// User and system time of a process and of the children it has waited for: the 14th to 17th fields.
std::int64_t ticks_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  std::int64_t sum = 0;
  for (int number = 3; number <= 17 && rest >> field; ++number) {
    if (number >= 14) sum += std::atoll(field.c_str());
  }
  return sum;
}

// Appends the children of all threads of `pid`; false where the kernel does not list them.
bool append_children(pid_t pid, std::vector<pid_t>& children) {
  std::error_code error;
  bool listed = false;
  auto task = std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error);
  for (; !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
    std::ifstream file(task->path() / "children");
    listed = listed || file.is_open();
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return listed || error;  // of a process that has ended there is nothing to list
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

std::vector<pid_t> listed_descendants_of(pid_t root) {
  std::vector<pid_t> result;
  if (!append_children(root, result)) return descendants_of(root);
  for (std::size_t i = 0; i < result.size(); ++i) append_children(result[i], result);
  return result;
}

std::int64_t cpu_ns_of_tree(pid_t root) {
  std::int64_t ticks = ticks_of(root);
  for (const pid_t pid : listed_descendants_of(root)) ticks += ticks_of(pid);
  return ticks * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

void kill_tree(pid_t root) {
  ::kill(-root, SIGKILL);  // at once, where it leads a group
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
