#include "worker/descendants.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

#include "worker/process_tree.h"

namespace fib::worker {
namespace {

constexpr unsigned kBetweenLooksUs = 1000;

// Runs, or waits for a disk: "<pid> (<name>) S ...".
bool works(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return false;
  const char state = text[name_end + 2];
  return state == 'R' || state == 'D';
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

bool one_works() {
  const auto descendants = listed_descendants_of(::getpid());
  return std::any_of(descendants.begin(), descendants.end(), works);
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
