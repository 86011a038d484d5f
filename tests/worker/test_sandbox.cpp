#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "support/temporary.h"
#include "worker/private_files.h"
#include "worker/sandbox.h"
#include "worker/tracing.h"

using namespace fib;

namespace {

// Runs `body` in a child, below in the sandbox; its result is the child's exit code.
int in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int in_sandbox(const std::function<int()>& body, const worker::SandboxDoors& doors = {}) {
  return in_child([&] {
    worker::enter_sandbox(std::uint64_t{1} << 30U, doors);
    return body();
  });
}

constexpr uid_t kNobody = 65534;

// Makes the calling process one of an unprivileged user.
bool become_nobody() { return ::geteuid() != 0 || (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0); }

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

TEST_CASE("private files: temporary folders are empty and everything else is read-only") {
  const testing::TemporaryFolder folder;
  const auto outside = folder.path() / "outside";
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!worker::enter_private_files(folder.path())) ::_exit(77);
    std::ofstream("/tmp/mine") << "x";
    if (!std::ifstream("/tmp/mine")) ::_exit(1);
    if (std::ofstream(outside) << "x") ::_exit(2);
    if (::open("/etc/fib-test", O_CREAT | O_WRONLY, 0600) >= 0 || errno != EROFS) ::_exit(3);
    std::ofstream("/dev/null") << "x";
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WEXITSTATUS(status) == 77) {
    WARN("skipped: this system allows no mount namespaces");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
  CHECK_FALSE(std::filesystem::exists("/tmp/mine"));
}

TEST_CASE("private files hold without privileges too, for processes that cannot be dumped") {
  const bool possible =
      in_child([] { return become_nobody() && ::unshare(CLONE_NEWUSER) == 0 ? 0 : 1; }) == 0;
  if (!possible) {
    WARN("skipped: this system allows no user namespaces");
    return;
  }
  const testing::TemporaryFolder folder;
  if (::geteuid() == 0) REQUIRE(::chown(folder.path().c_str(), kNobody, kNobody) == 0);
  CHECK(in_child([&] {
          if (!become_nobody() || ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return 1;
          if (!worker::enter_private_files(folder.path())) return 2;
          if (::prctl(PR_GET_DUMPABLE) != 0) return 3;
          return std::filesystem::is_empty("/tmp") ? 0 : 4;
        }) == 0);
}

TEST_CASE("who gave up tracing reaches no memory outside of its own processes, and still renames files") {
  const auto read_memory_of = [](pid_t pid) {
    return ::open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR);
  };
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "a");
  std::filesystem::create_directories(folder.path() / "b");
  const int result = in_child([&] {
    if (read_memory_of(::getppid()) < 0) return 77;
    if (!worker::give_up_tracing()) return 78;
    if (read_memory_of(::getppid()) >= 0) return 1;
    if (read_memory_of(::getpid()) < 0) return 2;
    std::ofstream(folder.path() / "a/file") << "x";
    std::error_code error;
    std::filesystem::rename(folder.path() / "a/file", folder.path() / "b/file", error);
    return error ? 3 : 0;
  });
  if (result == 77 || result == 78) {
    WARN("skipped: " << (result == 77 ? "this system lets no process trace another"
                                      : "this kernel has no Landlock"));
    return;
  }
  CHECK(result == 0);
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
  const auto locks = [] {
    const int fd = ::open("/dev/null", O_RDONLY);
    return ::flock(fd, LOCK_EX) == 0 ? 0 : 1;
  };
  CHECK(in_sandbox(locks, {.locks = true}) == 0);
  CHECK(in_sandbox(locks, {.processes = true}) == 1);
}
