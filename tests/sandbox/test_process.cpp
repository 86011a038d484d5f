#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <ctime>
#include <fstream>
#include <functional>
#include <thread>

#include "sandbox/process.h"
#include "support/in_child.h"
#include "support/temporary.h"

using namespace fib;

namespace {

int in_sandbox(const std::function<int()>& body, const sandbox::SystemCallDoors& doors = {}) {
  return testing::in_child([&] {
    sandbox::enter(std::uint64_t{1} << 30U, doors);
    return body();
  });
}

}  // namespace

TEST_CASE("no process can be made in the sandbox, but threads can") {
  CHECK(in_sandbox([] { return ::fork() < 0 && errno == EPERM ? 0 : 1; }) == 0);
  CHECK(in_sandbox([] { return ::vfork() < 0 ? 0 : 1; }) == 0);
  CHECK(in_sandbox([] {
          ::execl("/bin/true", "true", nullptr);
          return errno == EPERM ? 0 : 1;
        }) == 0);
  CHECK(in_sandbox([] {
          int seen = 0;
          std::thread([&] { seen = 7; }).join();
          return seen;
        }) == 7);
  // One for which its maker waits would keep a SIGSTOP from all others.
  CHECK(in_sandbox([] {
          static char stack[16384];
          constexpr int kThread =
              CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_VFORK;
          const auto ends = [](void*) { return 0; };
          return ::clone(ends, stack + sizeof stack, kThread, nullptr) == -1 && errno == EPERM ? 0 : 1;
        }) == 0);
}

TEST_CASE("a limit on memory that the user has already is kept where it is lower") {
  CHECK(testing::in_child([] {
          // Far above what sanitizers map.
          const rlimit low{std::uint64_t{1} << 50U, std::uint64_t{1} << 50U};
          if (::setrlimit(RLIMIT_DATA, &low) != 0) return 1;
          sandbox::drop_capabilities();
          sandbox::limit_data(std::uint64_t{1} << 60U);
          rlimit now{};
          (void)::getrlimit(RLIMIT_DATA, &now);
          return now.rlim_max == low.rlim_max ? 0 : 2;
        }) == 0);
}

TEST_CASE(
    "the sandbox has fewer descriptors than who starts it, so that it cannot use up what the user may have "
    "on their way") {
  const auto hard_limit = [](rlim_t before) {
    return testing::in_child([before] {
      const rlimit limit{std::min<rlim_t>(before, 1024), before};
      if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
      sandbox::enter(std::uint64_t{1} << 30U, {});
      rlimit now{};
      ::getrlimit(RLIMIT_NOFILE, &now);
      const rlimit more{now.rlim_max, before};
      if (now.rlim_max < before && ::setrlimit(RLIMIT_NOFILE, &more) == 0) return -2;
      return static_cast<int>(now.rlim_max / 100);  // an exit code has eight bits
    });
  };
  rlimit own{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &own) == 0);
  if (own.rlim_max >= 9000) CHECK(hard_limit(9000) == 10);
  CHECK(hard_limit(2000) == 10);
  CHECK(hard_limit(400) == 2);
  CHECK(hard_limit(200) == 2);
}

TEST_CASE("the sandbox cannot queue as many signals as a user may have in all") {
  CHECK(testing::in_child([] {
          sandbox::enter(std::uint64_t{1} << 30U, {});
          rlimit now{};
          ::getrlimit(RLIMIT_SIGPENDING, &now);
          return now.rlim_max <= 1024 ? 0 : 1;
        }) == 0);
}

TEST_CASE("signals reach only the sandbox itself") {
  CHECK(in_sandbox([] { return ::kill(::getppid(), 0) < 0 && errno == EPERM ? 0 : 1; }) == 0);
  CHECK(in_sandbox([] { return ::kill(-1, SIGKILL) < 0 ? 0 : 1; }) == 0);
  CHECK(in_sandbox([] { return ::raise(SIGKILL); }) == 128 + SIGKILL);
}

TEST_CASE("the signal for the death of the parent stays as it is") {
  const auto stays = [] {
    for (const int signal : {0, SIGCHLD, SIGKILL}) {
      if (::prctl(PR_SET_PDEATHSIG, signal) == 0 || errno != EPERM) return 1;
    }
    return ::prctl(PR_SET_NAME, "renamed") == 0 ? 0 : 2;
  };
  CHECK(in_sandbox(stays) == 0);
  CHECK(in_sandbox(stays, {.processes = true}) == 0);
}

TEST_CASE("calls that reach into other processes or change the machine end the process") {
  for (const long call : {SYS_ptrace, SYS_mount, SYS_setns, SYS_pidfd_getfd, SYS_bpf, SYS_chroot}) {
    CAPTURE(call);
    CHECK(in_sandbox([call] {
            ::syscall(call, 0, 0, 0, 0, 0, 0);
            return 0;
          }) == 128 + SIGSYS);
  }
}

TEST_CASE("sockets, file locks and owners of descriptors are refused") {
  CHECK(in_sandbox([] { return ::socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EPERM ? 0 : 1; }) == 0);
  CHECK(in_sandbox([] {
          const int fd = ::open("/dev/null", O_RDONLY);
          struct flock lock {};
          lock.l_type = F_RDLCK;
          if (::flock(fd, LOCK_EX) == 0 || ::fcntl(fd, F_SETLK, &lock) == 0) return 1;
          return ::fcntl(fd, F_SETOWN, ::getppid()) != 0 && ::fcntl(fd, F_GETFD) >= 0 ? 0 : 2;
        }) == 0);
  CHECK(in_sandbox([] { return ::setpriority(PRIO_PROCESS, 0, 5) != 0 ? 0 : 1; }) == 0);
}

TEST_CASE("what other processes share by name or number is out of reach") {
  CHECK(in_sandbox([] {
          return ::shmat(0, nullptr, 0) == reinterpret_cast<void*>(-1) && errno == EPERM ? 0 : 1;
        }) == 0);
  CHECK(in_sandbox([] {
          shmid_ds status{};
          return ::shmctl(0, IPC_STAT, &status) < 0 && errno == EPERM ? 0 : 1;
        }) == 0);
  CHECK(in_sandbox([] { return ::syscall(SYS_mq_unlink, "queue") < 0 && errno == EPERM ? 0 : 1; }) == 0);
  CHECK(in_sandbox([] {
          int pair[2];
          for (const int kind : {SOCK_DGRAM, SOCK_RAW, SOCK_RDM}) {
            if (::socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, pair) == 0 || errno != EPERM) return 1;
          }
          constexpr int kTipc = 30;  // whose pairs of connected kinds can be sent elsewhere
          if (::socketpair(kTipc, SOCK_SEQPACKET, 0, pair) == 0 || errno != EPERM) return 2;
          if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) return 3;
          return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : 4;
        }) == 0);
}

TEST_CASE("what the system or the user has few of is not handed out") {
  CHECK(in_sandbox([] {
          std::uint64_t context = 0;
          return ::syscall(SYS_io_setup, 1, &context) < 0 && errno == ENOSYS ? 0 : 1;
        }) == 0);
  CHECK(in_sandbox([] { return ::syscall(SYS_inotify_init1, 0) < 0 && errno == ENOSYS ? 0 : 1; }) == 0);
}

TEST_CASE("no timer lets a process go on that was stopped") {
  const auto refused = [] {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    timer_t timer{};
    return ::timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 && errno == EPERM ? 0 : 1;
  };
  CHECK(in_sandbox(refused) == 0);
  CHECK(in_sandbox(refused, {.processes = true}) == 0);
}

TEST_CASE("no child lets a process go on that was stopped, by the signal for its end") {
  CHECK(in_sandbox(
            [] {
              const auto cloned = [](int signal) {
                const long pid = ::syscall(SYS_clone, signal, 0, 0, 0, 0);
                if (pid == 0) ::_exit(0);
                return pid;
              };
              for (const int signal : {SIGCONT, SIGUSR1, SIGKILL}) {
                if (cloned(signal) >= 0 || errno != EPERM) return 1;
              }
              for (const int signal : {0, SIGCHLD}) {
                if (cloned(signal) < 0) return 2;
              }
              const pid_t pid = ::fork();
              if (pid == 0) ::_exit(0);
              return pid > 0 && ::waitpid(pid, nullptr, 0) == pid ? 0 : 3;
            },
            {.processes = true}) == 0);
}

TEST_CASE("threads that want to be pinned are made, and other processes stay where they are") {
  CHECK(in_sandbox([] {
          cpu_set_t first;
          CPU_ZERO(&first);
          CPU_SET(0, &first);
          pthread_attr_t attributes;
          pthread_attr_init(&attributes);
          pthread_attr_setaffinity_np(&attributes, sizeof first, &first);
          pthread_t thread{};
          if (pthread_create(
                  &thread, &attributes, [](void*) -> void* { return nullptr; }, nullptr) != 0)
            return 1;
          pthread_join(thread, nullptr);
          cpu_set_t before;
          cpu_set_t after;
          ::sched_getaffinity(::getppid(), sizeof before, &before);
          ::sched_setaffinity(::getppid(), sizeof first, &first);
          ::sched_getaffinity(::getppid(), sizeof after, &after);
          return CPU_EQUAL(&before, &after) ? 0 : 2;
        }) == 0);
}

TEST_CASE("where no mount keeps them, modes, owners and times of files stay as they are") {
  const testing::TemporaryFolder folder;
  const auto file = (folder.path() / "file").string();
  std::ofstream(file) << "text";
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  for (const bool processes : {true, false}) {
    CHECK(in_sandbox(
              [&] {
                struct stat before {};
                struct stat after {};
                ::stat(file.c_str(), &before);
                const int fd = ::open(file.c_str(), O_RDONLY);
                const timespec times[2] = {};
                // Honest code asks for this too: it is told that all went well.
                if (::chmod(file.c_str(), 04777) != 0 || ::fchmod(fd, 04777) != 0) return 1;
                if (::fchmodat(AT_FDCWD, file.c_str(), 04777, 0) != 0) return 2;
                if (::chown(file.c_str(), 65534, 65534) != 0 || ::fchown(fd, 65534, 65534) != 0) return 3;
                if (::utimensat(AT_FDCWD, file.c_str(), times, 0) != 0) return 4;
                if (::setxattr(file.c_str(), "user.x", "y", 1, 0) != 0) return 5;
                ::stat(file.c_str(), &after);
                return before.st_mode == after.st_mode && before.st_uid == after.st_uid &&
                               before.st_mtim.tv_sec == after.st_mtim.tv_sec
                           ? 0
                           : 6;
              },
              {.processes = processes, .metadata = false}) == 0);
  }
}

TEST_CASE("memory files, which no limit counts, are refused as if the kernel had none") {
  CHECK(in_sandbox([] { return ::memfd_create("x", 0) < 0 && errno == ENOSYS ? 0 : 1; }) == 0);
}

TEST_CASE(
    "what was offered to the kernel when memory is out cannot be taken back by who had CAP_SYS_RESOURCE") {
  const auto score = [] {
    int value = 0;
    std::ifstream("/proc/self/oom_score_adj") >> value;
    return value;
  };
  CHECK(testing::in_child([&] {
          sandbox::offer_to_oom_killer();
          if (score() != 1000) return 1;
          if (::prctl(PR_CAPBSET_READ, CAP_SYS_RESOURCE) != 1 || ::geteuid() != 0) return 0;
          sandbox::drop_capabilities();
          std::ofstream("/proc/self/oom_score_adj") << "0" << std::flush;
          return score() == 1000 ? 0 : 2;
        }) == 0);
}

TEST_CASE("memory is limited, for root too") {
  CHECK(in_sandbox([] {
          void* much = ::mmap(nullptr, std::size_t{2} << 30U, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          void* little = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          return much == MAP_FAILED && little != MAP_FAILED ? 0 : 1;
        }) == 0);
}

TEST_CASE("the sandbox has no capabilities and is not dumpable") {
  CHECK(in_sandbox([] {
          std::ifstream status("/proc/self/status");
          for (std::string line; std::getline(status, line);) {
            const bool capability =
                line.starts_with("CapEff") || line.starts_with("CapPrm") || line.starts_with("CapBnd");
            // An unprivileged process cannot shrink its bounding set; without capabilities it gives nothing.
            if (capability && !(line.starts_with("CapBnd") && ::getuid() != 0)) {
              if (line.find_first_of("123456789abcdef", line.find(':')) != std::string::npos) return 1;
            }
          }
          return ::prctl(PR_GET_DUMPABLE) == 0 ? 0 : 2;
        }) == 0);
}

TEST_CASE("doors of the sandbox: processes that stay in one group, and locks") {
  const auto starts_session = [] {
    const pid_t pid = ::fork();
    if (pid < 0) return 1;
    if (pid == 0) {
      const pid_t group = ::getpgrp();
      ::setsid();
      ::setpgid(0, 0);
      ::_exit(::getpgrp() == group ? 0 : 2);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
  };
  CHECK(in_sandbox(starts_session, {.processes = true}) == 0);
  // Of a process that shares its parent's memory and runs beside the thread that made it nobody would know
  // what it used.
  const auto shares_memory = [] {
    static char stack[16384];
    const int shared = ::clone([](void*) { return 0; }, stack + sizeof stack, CLONE_VM | SIGCHLD, nullptr);
    const int refused = errno;
    const int waits =
        ::clone([](void*) { return 0; }, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
    std::thread([] {}).join();
    return shared == -1 && refused == EPERM && waits > 0 ? 0 : 1;
  };
  CHECK(in_sandbox(shares_memory, {.processes = true}) == 0);
  const auto locks = [] {
    const int fd = ::open("/dev/null", O_RDONLY);
    return ::flock(fd, LOCK_EX) == 0 ? 0 : 1;
  };
  CHECK(in_sandbox(locks, {.locks = true}) == 0);
  CHECK(in_sandbox(locks, {.processes = true}) == 1);
}

TEST_CASE("no thread can keep a signal that stops its process from it, nor let a process go on") {
  const auto is_refused = [](long result) { return result == -1 && errno == EPERM; };
  const auto tries = [&] {
    const sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_filter code[] = {allow};
    const sock_fprog program{1, code};
    if (!is_refused(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))) return 1;
    if (!is_refused(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))) return 2;
    if (!is_refused(::kill(::getpid(), SIGCONT))) return 3;
    if (!is_refused(::syscall(SYS_tgkill, ::getpid(), ::getpid(), SIGCONT))) return 4;
    return ::kill(::getpid(), SIGWINCH) == 0 ? 0 : 5;
  };
  CHECK(in_sandbox(tries) == 0);
  CHECK(in_sandbox(tries, {.processes = true}) == 0);
  const auto vforks_a_thread = [&] {
    static char stack[16384];
    const auto ends = [](void*) { return 0; };
    return is_refused(::clone(ends, stack + sizeof stack,
                              CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK, nullptr))
               ? 0
               : 1;
  };
  CHECK(in_sandbox(vforks_a_thread, {.processes = true}) == 0);
}
