#include "device/cpu/quiescence.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <memory>
#include <string>

#include "util/unique_fd.h"

namespace fib::device::cpu {
namespace {

std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::int64_t time_of_others() {
  return nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

// A process's task folder has a link for each thread besides "." and "..".
bool has_other_threads() {
  struct stat info {};
  return ::stat("/proc/self/task", &info) != 0 || info.st_nlink > 3;
}

// The state letter in a thread's stat file: "<id> (<name>) S ...".
char state_of(const std::string& task) {
  const util::UniqueFd fd(::open(("/proc/self/task/" + task + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char text[256] = {};
  if (!fd.valid() || ::read(fd.get(), text, sizeof text - 1) <= 0) return '?';  // it has just ended
  const char* after_name = std::strrchr(text, ')');
  return after_name != nullptr && after_name[1] == ' ' ? after_name[2] : '?';
}

// Whether another thread runs, wants to, or waits for memory: on a busy machine one that works may get no CPU
// time for a whole window.
bool another_is_runnable() {
  const std::string self = std::to_string(::gettid());
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/task"), ::closedir);
  if (!folder) return true;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.' || self == entry->d_name) continue;
    const char state = state_of(entry->d_name);
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

}  // namespace

Quiescence wait_until_quiet(int window_us, int limit_ms) {
  Quiescence result;
  if (!has_other_threads()) return result;
  // The two clocks are read one after the other; a thread that sleeps adds nothing, one that works adds the
  // whole window. A twentieth of the window tells them apart.
  const std::int64_t noise_ns = std::int64_t{window_us} * 50;
  const std::int64_t begin = nanoseconds(CLOCK_MONOTONIC);
  std::int64_t window_begin = begin;
  std::int64_t others = time_of_others();
  while (true) {
    while (nanoseconds(CLOCK_MONOTONIC) - window_begin < std::int64_t{window_us} * 1000) {
    }
    // In this order: at any of these steps this thread may lose its CPU to the very work it watches. What
    // then runs unseen by the first shows in the second, and the time is read after what it dates.
    const bool runnable = another_is_runnable();
    const std::int64_t others_now = time_of_others();
    const std::int64_t seen = nanoseconds(CLOCK_MONOTONIC);
    if (!runnable && others_now - others <= noise_ns) return result;
    result.last_activity_ns = seen;
    if (seen - begin > std::int64_t{limit_ms} * 1'000'000) {
      result.quiet = false;
      return result;
    }
    others = others_now;
    window_begin = seen;
  }
}

}  // namespace fib::device::cpu
