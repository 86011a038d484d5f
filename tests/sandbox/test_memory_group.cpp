#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "sandbox/memory_group.h"
#include "support/temporary.h"
#include "util/files.h"

namespace fs = std::filesystem;
using namespace fib;
using sandbox::MemoryGroup;
using sandbox::place_for_groups;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

// In a child: memory that RLIMIT_DATA does not count.
void share_memory(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(2);
  std::memset(memory, 1, bytes);
}

int status_in(const MemoryGroup& group, std::size_t bytes) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!group.enter()) ::_exit(1);
    share_memory(bytes);
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("groups are made beside fib's own, and nowhere without cgroup v2") {
  const std::string mounts =
      "proc /proc proc rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
      "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
  CHECK(place_for_groups(mounts, "4:memory:/x\n0::/user.slice/session.scope\n") ==
        "/sys/fs/cgroup/unified/user.slice");
  CHECK(place_for_groups(mounts, "0::/\n") == "/sys/fs/cgroup/unified");
  CHECK(place_for_groups(mounts, "4:memory:/x\n").empty());
  CHECK(place_for_groups(mounts, "0::/../other\n").empty());
  CHECK(place_for_groups("cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n", "0::/x\n").empty());
  CHECK(place_for_groups("", "").empty());
}

TEST_CASE("a group with limits of its own is not left: whether it has some") {
  const testing::TemporaryFolder folder;
  const auto set = [&](const char* name, const char* value) {
    util::write_file_atomic(folder.path() / name, value);
    return sandbox::has_limits(folder.path());
  };
  CHECK_FALSE(sandbox::has_limits(folder.path()));
  CHECK_FALSE(set("memory.max", "max\n"));
  CHECK_FALSE(set("cpu.max", "max 100000\n"));
  CHECK_FALSE(set("cpuset.cpus", "\n"));
  CHECK(set("memory.max", "1073741824\n"));
  CHECK_FALSE(set("memory.max", "max\n"));
  CHECK(set("cpu.max", "50000 100000\n"));
  CHECK_FALSE(set("cpu.max", "max 100000\n"));
  CHECK(set("cpuset.cpus", "0-3\n"));
}

TEST_CASE("no group is made where memory is not divided, and nothing is left of the attempt") {
  const testing::TemporaryFolder folder;
  CHECK(MemoryGroup::make("", "fib-1", kMiB) == nullptr);
  CHECK(MemoryGroup::make(folder.path(), "fib-1", kMiB) == nullptr);
  // What looks like a place, and is none.
  util::write_file_atomic(folder.path() / "cgroup.subtree_control", "cpu memory\n");
  CHECK(MemoryGroup::make(folder.path(), "fib-1", kMiB) == nullptr);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("old groups are removed, others and those of other names are not") {
  const testing::TemporaryFolder folder;
  for (const char* name : {"fib-1-abc", "fib-12-abc", "other"}) fs::create_directory(folder.path() / name);
  sandbox::remove_groups(folder.path(), "fib", 60);
  CHECK(fs::exists(folder.path() / "fib-1-abc"));
  // Its time may lie ahead of the clock's, which is read less finely.
  fs::last_write_time(folder.path() / "fib-1-abc",
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  sandbox::remove_groups(folder.path(), "fib-1", 1);
  CHECK(fs::exists(folder.path() / "fib-1-abc"));
  sandbox::remove_groups(folder.path(), "fib-1", 0);
  CHECK_FALSE(fs::exists(folder.path() / "fib-1-abc"));
  CHECK(fs::exists(folder.path() / "fib-12-abc"));
  CHECK(fs::exists(folder.path() / "other"));
}

TEST_CASE("the processes of a group have no more memory than its limit, however they share it") {
  auto group = MemoryGroup::make(place_for_groups(), "fib-test", 64 * kMiB);
  if (!group) {
    WARN("skipped: this system delegates no control group with a limit on memory");
    return;
  }
  if (status_in(*group, 0) != 0) {
    WARN("skipped: a control group can be made here, and not entered");
    CHECK(group->remove());
    return;
  }
  CHECK(status_in(*group, 16 * kMiB) == 0);
  CHECK_FALSE(group->was_exhausted());
  const int status = status_in(*group, 256 * kMiB);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  CHECK(group->was_exhausted());
  CHECK(group->remove());
  CHECK(group->remove());  // it is gone
}
