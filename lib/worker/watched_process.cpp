#include "worker/watched_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "util/clock.h"
#include "util/unique_fd.h"
#include "worker/process_tree.h"

namespace fib::worker {
namespace {

// What begins a small file of /proc; empty where it cannot be read.
std::string begin_of(const std::string& path) {
  const util::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[256];
  const ssize_t size = fd.valid() ? ::read(fd.get(), text, sizeof text) : 0;
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// The file's last fields: "<runnable>/<all threads> <process id that was given last>".
struct MachineLoad {
  long runnable = -1;
  long last_pid = -1;
};

MachineLoad machine_load() {
  const std::string text = begin_of("/proc/loadavg");
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {};
  const std::size_t runnable = text.rfind(' ', slash);
  const std::size_t last = text.find(' ', slash);
  if (runnable == std::string::npos || last == std::string::npos) return {};
  return {std::atol(text.c_str() + runnable), std::atol(text.c_str() + last)};
}

// The state letter in a thread's stat file: "<id> (<name>) S ..."; '?' when it has just ended.
char state_in(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() ? stat[name_end + 2] : '?';
}

bool is_at_work(char state) { return state == 'R' || state == 'D'; }

// A process that has not stopped by then is sent a SIGSTOP for each thread.
constexpr std::int64_t kSoonStoppedNs = 5'000'000;

// Whether `holds` of some thread's id and state letter.
template <typename Holds>
bool any_thread(pid_t pid, const Holds& holds) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task/";
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(folder.c_str()), ::closedir);
  if (!tasks) return false;  // it has ended
  while (const dirent* entry = ::readdir(tasks.get())) {
    if (entry->d_name[0] == '.') continue;
    if (holds(entry->d_name, state_in(begin_of(folder + entry->d_name + "/stat")))) return true;
  }
  return false;
}

// Whether none of a process's threads runs code of its own after a SIGSTOP.
// * One in state T has stopped, and t is the same under a debugger.
// * One in state D waits in the kernel (for a child that is stopped, a disk): it slows nobody down, and stops
//   before it runs code again where another one has stopped. Where all wait, each gets a SIGSTOP of its own,
//   so that the first to go on stops them all.
// * `ask_each`: threads that run or sleep get one of their own, too. That of a process is given to its main
//   thread, even where that waits in a way that no signal but SIGKILL ends, as in vfork(), and all others
//   would run on.
bool stops(pid_t pid, bool ask_each) {
  bool some_stopped = false;
  bool some_run = false;
  std::vector<pid_t> others;
  (void)any_thread(pid, [&](const std::string& id, char state) {
    if (state == 'Z' || state == 'X' || state == '?') return false;  // it has ended
    const bool has_stopped = state == 'T' || state == 't';
    some_stopped = some_stopped || has_stopped;
    some_run = some_run || (!has_stopped && state != 'D');
    if (!has_stopped) others.push_back(std::atoi(id.c_str()));
    return some_run && !ask_each;
  });
  if (!some_run && (some_stopped || others.empty())) return true;
  if (some_run && !ask_each) return false;
  bool asked = true;
  for (const pid_t thread : others) asked = ::syscall(SYS_tgkill, pid, thread, SIGSTOP) == 0 && asked;
  return !some_run && asked;
}

bool runs(pid_t pid) {
  return any_thread(pid, [](const std::string& /*id*/, char state) { return state == 'R'; });
}

}  // namespace

WatchedProcess::WatchedProcess(pid_t pid, bool may_fork)
    : pid_(pid), may_fork_(may_fork), main_thread_(pid) {}

std::int64_t WatchedProcess::cpu_ns(pid_t pid) const {
  clockid_t clock = 0;
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

WatchedProcess::Usage WatchedProcess::usage() {
  Usage usage;
  usage.main_ns = main_thread_.times().on_cpu_ns;
  usage.others_ns = std::max<std::int64_t>(0, cpu_ns(pid_) - usage.main_ns);
  if (!may_fork_) return usage;
  usage.last_pid = machine_load().last_pid;
  if (!has_descendants()) return usage;
  for (const pid_t pid : listed_descendants_of(pid_)) usage.descendants_ns[pid] = cpu_ns(pid);
  return usage;
}

WatchedProcess::Usage WatchedProcess::exact_usage(bool of_main_thread) {
  constexpr std::int64_t kMostNs = 10'000'000;  // then it is as exact as it gets
  const bool some_run =
      of_main_thread || (has_other_threads() && another_is_runnable()) || a_descendant_works();
  if (!some_run || ::kill(-pid_, SIGSTOP) != 0) return usage();
  const std::int64_t begin = util::monotonic_ns();
  for (std::int64_t now = begin; now - begin < kMostNs; now = util::monotonic_ns()) {
    if (all_stop(now - begin > kSoonStoppedNs)) break;
    ::usleep(20);
  }
  Usage exact = usage();
  exact.was_stopped = true;
  (void)::kill(-pid_, SIGCONT);
  return exact;
}

std::optional<std::string> WatchedProcess::stop(int most_cpu_ms) {
  constexpr std::int64_t kMostNs = 60'000'000'000;       // on a busy machine it may wait for a CPU to stop on
  if (::kill(-pid_, SIGSTOP) != 0) return std::nullopt;  // it has ended
  const std::int64_t begin = util::monotonic_ns();
  const std::int64_t used = cpu_ns(pid_);
  for (std::int64_t now = begin; !all_stop(now - begin > kSoonStoppedNs); now = util::monotonic_ns()) {
    if (cpu_ns(pid_) - used > std::int64_t{most_cpu_ms} * 1'000'000)
      return "its processes worked on when they were to stop";
    if (now - begin > kMostNs) return "its processes did not stop within a minute";
    ::usleep(20);
  }
  return std::nullopt;
}

// All are asked, whatever the first one says. A descendant in a group of its own, which the sandbox does not
// allow, would not get the SIGCONT of this one's.
bool WatchedProcess::all_stop(bool ask_each) const {
  bool stopped = stops(pid_, ask_each);
  if (!may_fork_ || (!stopped && !ask_each)) return stopped;
  for (const pid_t pid : listed_descendants_of(pid_))
    stopped = (::getpgid(pid) == pid_ ? stops(pid, ask_each) : !runs(pid)) && stopped;
  return stopped;
}

std::int64_t WatchedProcess::used_by_others_ns(const Usage& before, const Usage& now) {
  std::int64_t used = now.others_ns - before.others_ns;
  for (const auto& [pid, ns] : now.descendants_ns) {
    const auto known = before.descendants_ns.find(pid);
    used += std::max<std::int64_t>(0, ns - (known == before.descendants_ns.end() ? 0 : known->second));
  }
  return std::max<std::int64_t>(0, used);
}

bool WatchedProcess::await_main_thread() const {
  constexpr int kSoon = 20;  // looks without sleep, some microseconds each
  constexpr int kLooks = 200;
  for (int look = 0; look < kLooks; ++look) {
    if (state_of(pid_) != 'R') return true;
    if (look < kSoon) {
      ::sched_yield();
    } else {
      ::usleep(20);
    }
  }
  return false;
}

bool WatchedProcess::may_have_lost_some(const Usage& before, const Usage& now) {
  const auto lives = [&](const auto& process) { return now.descendants_ns.contains(process.first); };
  return before.last_pid != now.last_pid ||
         !std::all_of(before.descendants_ns.begin(), before.descendants_ns.end(), lives);
}

// A process's task folder has a link for each thread besides "." and "..".
bool WatchedProcess::has_other_threads() const {
  struct stat info {};
  return ::stat(("/proc/" + std::to_string(pid_) + "/task").c_str(), &info) == 0 && info.st_nlink > 3;
}

bool WatchedProcess::a_descendant_works() {
  if (!has_descendants()) return false;
  const auto all = listed_descendants_of(pid_);
  return std::any_of(all.begin(), all.end(), [](pid_t pid) { return is_at_work(state_of(pid)); });
}

// Where no process or thread has been started on the machine since the last look, there are none still.
bool WatchedProcess::has_descendants() {
  if (!may_fork_) return false;
  const long last_pid = machine_load().last_pid;
  if (last_pid >= 0 && last_pid == childless_at_) return false;
  const bool some = !listed_descendants_of(pid_).empty();
  childless_at_ = some ? -1 : last_pid;
  return some;
}

// Whether a thread but the main one runs, wants to, or waits for memory: on a busy machine one that works may
// get no CPU time for a whole window.
bool WatchedProcess::another_is_runnable() const {
  // Looking at each thread takes long, and where nobody but the caller is runnable there is nothing to see.
  if (machine_load().runnable == 1) return false;
  return any_thread(pid_, [&](const std::string& id, char state) {
    return id != std::to_string(pid_) && is_at_work(state);
  });
}

WatchedProcess::Rest WatchedProcess::wait_until_rest(int window_us, int limit_ms) {
  Rest rest;
  // One that works now is seen by its state, or by what it has used when it was taken off its CPU: a
  // twentieth of the window is more than a thread that sleeps can have used.
  const std::int64_t noise_ns = std::int64_t{window_us} * 50;
  const std::int64_t begin = util::monotonic_ns();
  const auto others_now = [this] { return cpu_ns(pid_) - main_thread_.times().on_cpu_ns; };
  const bool threads = has_other_threads();
  std::int64_t others = others_now();
  while (true) {
    bool threads_work = false;
    if (threads) {
      ::usleep(static_cast<useconds_t>(window_us));
      // In this order: what then runs unseen by the first look shows in the second.
      threads_work = another_is_runnable();
      const std::int64_t now = others_now();
      threads_work = threads_work || now - others > noise_ns;
      others = now;
    }
    const bool processes = a_descendant_works();
    const std::int64_t seen = util::monotonic_ns();
    if (threads_work || processes) rest.last_activity_ns = seen;
    if (!threads_work && !processes) return rest;
    if (seen - begin > std::int64_t{limit_ms} * 1'000'000) {
      rest.at_work = processes ? Worker::kProcesses : Worker::kThreads;
      return rest;
    }
    if (processes && !threads_work) ::usleep(1000);
  }
}

}  // namespace fib::worker
