#include "worker/descendants.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "worker/process_tree.h"

namespace fib::worker {
namespace {

constexpr unsigned kBetweenLooksUs = 1000;

bool works(pid_t pid) {
  const char state = state_of(pid);
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
