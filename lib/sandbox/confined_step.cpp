#include "sandbox/confined_step.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>

#include "sandbox/process.h"
#include "sandbox/process_group.h"
#include "util/errno_error.h"
#include "util/files.h"
#include "util/machine.h"
#include "util/unique_fd.h"

namespace fib::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr int kAnswer = 3;       // the descriptor that the step's process writes to
constexpr char kReturned = 'R';  // the first byte of the answer; the text follows
constexpr char kThrew = 'E';
constexpr int kBetweenLooksMs = 200;
constexpr std::size_t kMostAnswer = std::size_t{64} << 20U;
constexpr int kMostDepth = 100;  // of folders in folders
constexpr std::uint64_t kMostEntries = 200'000;

void limit(__rlimit_resource resource, std::uint64_t value) {
  rlimit both{value, value};
  ::setrlimit(resource, &both);
}

void shut_in(const FileAccess& access, const fs::path& work, const StepLimits& limits) {
  offer_to_oom_killer();
  limit(RLIMIT_CORE, 0);
  limit_descriptors();
  limit(RLIMIT_FSIZE, limits.file_bytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_DATA, limits.process_bytes);
#endif
  const fs::path temporary = work / "tmp";
  fs::create_directory(temporary);
  const fs::path place = work / "view";
  fs::create_directory(place);
  FileAccess own = access;
  own.writable.push_back(work);
  const Held held = confine_files(own, place);
  if (access.mode == Mode::kStrict && !held.all())
    throw Error("--sandbox strict: this system does not allow all of the sandbox");
  ::setenv("TMPDIR", temporary.c_str(), 1);
  ::setenv("HOME", temporary.c_str(), 1);
  if (access.mode == Mode::kOff) return;
  drop_capabilities();
  refuse_system_calls({.processes = true, .locks = true, .metadata = held.mounts});
}

// In the new process. Descriptors: /dev/null three times, and where the answer goes.
[[noreturn]] void run_step(const FileAccess& access, const fs::path& work, const StepLimits& limits,
                           const std::function<std::string()>& step) {
  std::string answer;
  try {
    shut_in(access, work, limits);
    answer = kReturned + step();
  } catch (const std::exception& error) {
    answer = kThrew + std::string(error.what());
  }
  try {
    util::write_all(kAnswer, answer, "the answer");
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

bool take_descriptors(int answer) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int kept = ::fcntl(answer, F_DUPFD_CLOEXEC, 10);
  if (nothing < 0 || kept < 0) return false;
  for (int fd = 0; fd < kAnswer; ++fd) {
    if (::dup2(nothing, fd) != fd) return false;
  }
  return ::dup3(kept, kAnswer, O_CLOEXEC) == kAnswer && ::close_range(kAnswer + 1, ~0U, 0) == 0;
}

// What is there can be hidden from this by nothing but its coming and going.
std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry.depth() > kMostDepth)
      throw LimitReached("the build made folders in folders, more than {} deep", kMostDepth);
    if (++entries > kMostEntries) throw LimitReached("the build made more than {} files", kMostEntries);
    std::error_code gone;
    if (!entry->is_regular_file(gone) || entry->is_symlink(gone)) continue;
    const auto size = entry->file_size(gone);
    if (!gone) bytes += size;
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw LimitReached("the build made a folder that cannot be read: {}", error.message());
  return bytes;
}

// The step's process with all that it has started.
class StepGroup {
 public:
  StepGroup(pid_t leader, const fs::path& work, const StepLimits& limits)
      : leader_(leader), work_(work), limits_(limits) {}
  ~StepGroup() {
    ::kill(-leader_, SIGKILL);
    if (!ended_) (void)wait();
  }
  StepGroup(const StepGroup&) = delete;
  StepGroup& operator=(const StepGroup&) = delete;

  // What the step's process has written when it has ended, or closed its end. (What it has started may have
  // the other end too, and outlive it.)
  std::string read_answer(int fd) {
    std::string answer;
    for (bool last = false; !last;) {
      last = has_ended();
      pollfd event{fd, POLLIN, 0};
      if (::poll(&event, 1, last ? 0 : kBetweenLooksMs) < 0 && errno != EINTR)
        throw util::errno_error("cannot wait for a build's step");
      check_limits();
      if (event.revents != 0 && !read_some(fd, answer)) return answer;
    }
    return answer;
  }

  int wait() {
    int status = 0;
    while (::waitpid(leader_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    return status;
  }

 private:
  // All that is there now; false at the end of the stream.
  static bool read_some(int fd, std::string& answer) {
    char buffer[1U << 16U];
    while (answer.size() <= kMostAnswer) {
      const ssize_t got = ::read(fd, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got <= 0) return false;
      answer.append(buffer, static_cast<std::size_t>(got));
    }
    throw LimitReached("the build's answer is too long");
  }

  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
  }

  void check_limits() const {
    const GroupUse use = use_of_group(leader_);
    const std::uint64_t memory =
        limits_.memory_bytes != 0 ? limits_.memory_bytes : util::physical_memory() / 4 * 3;
    if (use.resident_bytes > memory)
      throw LimitReached("the build used more than {} MiB of memory", memory >> 20U);
    if (use.processes > limits_.processes)
      throw LimitReached("the build started more than {} processes", limits_.processes);
    if (bytes_in(work_) > limits_.folder_bytes)
      throw LimitReached("the build wrote more than {} MiB", limits_.folder_bytes >> 20U);
  }

  pid_t leader_;
  const fs::path& work_;
  const StepLimits& limits_;
  bool ended_ = false;
};

}  // namespace

std::string run_confined(const FileAccess& access, const fs::path& work, const StepLimits& limits,
                         const std::function<std::string()>& step) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw util::errno_error("cannot make a pipe");
  const util::UniqueFd read_end(ends[0]);
  util::UniqueFd write_end(ends[1]);
  ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw util::errno_error("cannot start a build's step");
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent || !take_descriptors(write_end.get())) ::_exit(1);
    run_step(access, work, limits, step);
  }
  ::setpgid(pid, pid);
  write_end.reset();
  StepGroup group(pid, work, limits);
  std::string answer = group.read_answer(read_end.get());
  const int status = group.wait();
  if (WIFSIGNALED(status))
    throw Error("a process of the build was ended by signal {} ({})", WTERMSIG(status),
                ::strsignal(WTERMSIG(status)));
  if (answer.empty()) throw Error("a build's step ended without an answer");
  const char kind = answer.front();
  answer.erase(0, 1);
  if (kind == kThrew) throw Error("{}", answer);
  return answer;
}

}  // namespace fib::sandbox
