#include "worker/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace fib::worker {
namespace {

// What /proc/<pid>/stat says after the command's name, which is in parentheses and may hold anything:
// " <state> <parent> ...". Empty when the process has ended.
std::string after_name(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text(512, '\0');
  const ssize_t size = ::read(fd, text.data(), text.size());
  ::close(fd);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos ? std::string() : text.substr(name_end + 1);
}

// Or -1.
pid_t parent_of(pid_t pid) {
  const std::string text = after_name(pid);
  return text.size() > 3 ? std::atoi(text.c_str() + 3) : -1;
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

// By parent.
std::multimap<pid_t, pid_t> read_tree() {
  std::multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return children;
  while (const dirent* entry = ::readdir(folder.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const pid_t parent = parent_of(pid);
    if (parent > 0) children.emplace(parent, pid);
  }
  return children;
}

// Without the roots.
std::vector<pid_t> descendants_of(const std::vector<pid_t>& roots) {
  const auto tree = read_tree();
  std::vector<pid_t> result = roots;
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (auto [it, end] = tree.equal_range(result[i]); it != end; ++it) result.push_back(it->second);
  }
  result.erase(result.begin(), result.begin() + std::ssize(roots));
  return result;
}

}  // namespace

char state_of(pid_t pid) {
  const std::string text = after_name(pid);
  return text.size() > 1 ? text[1] : '?';
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> result;
  const auto tree = read_tree();
  for (auto [it, end] = tree.equal_range(parent); it != end; ++it) result.push_back(it->second);
  return result;
}

std::vector<pid_t> descendants_of(pid_t root) { return descendants_of(std::vector{root}); }

std::vector<pid_t> listed_descendants_of(pid_t root) {
  std::vector<pid_t> result;
  if (!append_children(root, result)) return descendants_of(root);
  for (std::size_t i = 0; i < result.size(); ++i) append_children(result[i], result);
  return result;
}

void kill_trees(const std::vector<pid_t>& roots) {
  for (const pid_t root : roots) ::kill(-root, SIGKILL);  // at once, where it leads a group
  std::set<pid_t> stopped;
  for (bool grew = true; grew;) {
    grew = false;
    const auto stop = [&](pid_t pid) {
      if (!stopped.insert(pid).second) return;
      ::kill(pid, SIGSTOP);
      grew = true;
    };
    for (const pid_t root : roots) stop(root);
    for (const pid_t pid : descendants_of(roots)) stop(pid);
  }
  for (const pid_t pid : stopped) ::kill(pid, SIGKILL);
}

void kill_tree(pid_t root) { kill_trees({root}); }

}  // namespace fib::worker
