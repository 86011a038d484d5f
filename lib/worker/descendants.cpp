#include "worker/descendants.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fib::worker {
namespace {

constexpr unsigned kBetweenLooksUs = 1000;

struct Process {
  pid_t parent = 0;
  char state = '?';
};

// "<pid> (<name>) S <parent> ...".
std::optional<Process> read_process(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.size()) return std::nullopt;
  Process process;
  process.state = text[name_end + 2];
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), process.parent);
  return process;
}

std::map<pid_t, Process> all_processes() {
  std::map<pid_t, Process> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return processes;
  while (const dirent* entry = ::readdir(folder.get())) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr != end) continue;
    if (const auto process = read_process(entry->d_name)) processes[pid] = *process;
  }
  return processes;
}

bool descends_from(const std::map<pid_t, Process>& processes, pid_t pid, pid_t ancestor) {
  for (auto found = processes.find(pid); found != processes.end();
       found = processes.find(found->second.parent)) {
    if (found->second.parent == ancestor) return true;
    if (found->second.parent == found->first) return false;
  }
  return false;
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

bool works(const Process& process) { return process.state == 'R' || process.state == 'D'; }

// Appends the children of all threads of `pid`; false where the kernel does not list them.
bool append_children(const std::string& pid, std::vector<std::string>& children) {
  std::error_code error;
  bool listed = false;
  auto task = std::filesystem::directory_iterator("/proc/" + pid + "/task", error);
  for (; !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
    std::ifstream file(task->path() / "children");
    listed = listed || file.is_open();
    for (std::string child; file >> child;) children.push_back(child);
  }
  return listed || error;  // of a process that has ended there is nothing to list
}

bool one_works_of_all_processes() {
  const auto processes = all_processes();
  return std::any_of(processes.begin(), processes.end(), [&](const auto& entry) {
    return works(entry.second) && entry.first != ::getpid() &&
           descends_from(processes, entry.first, ::getpid());
  });
}

bool one_works() {
  std::vector<std::string> pids;
  if (!append_children("self", pids)) return one_works_of_all_processes();
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const std::string pid = pids[i];
    const auto process = read_process(pid);
    if (process && works(*process)) return true;
    append_children(pid, pids);
  }
  return false;
}

}  // namespace

void adopt_descendants() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

Descendants watch_descendants(int looks) {
  for (int look = 0; look < looks; ++look) {
    if (look > 0) ::usleep(kBetweenLooksUs);
    if (!has_children() || !one_works()) return look == 0 ? Descendants::kAtRest : Descendants::kCameToRest;
  }
  return Descendants::kAtWork;
}

}  // namespace fib::worker
