#include "worker/descendants.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace fib::worker {
namespace {

constexpr int kLooks = 50;
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

bool one_works() {
  const auto processes = all_processes();
  for (const auto& [pid, process] : processes) {
    if (process.state != 'R' && process.state != 'D') continue;
    if (pid != ::getpid() && descends_from(processes, pid, ::getpid())) return true;
  }
  return false;
}

}  // namespace

void adopt_descendants() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

bool descendants_at_work() {
  for (int look = 0; look < kLooks; ++look) {
    if (!has_children() || !one_works()) return false;
    ::usleep(kBetweenLooksUs);
  }
  return true;
}

}  // namespace fib::worker
