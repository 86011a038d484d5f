#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/temporary.h"
#include "util/file_lock.h"

using fib::util::FileLock;

TEST_CASE("a lock is held by one and released with its owner") {
  const fib::testing::TemporaryFolder folder;
  const auto path = folder.path() / "locks" / "cpu.lock";
  {
    const auto first = FileLock::try_take(path, FileLock::Sharing::kMachine);
    REQUIRE(first);
    CHECK_FALSE(FileLock::try_take(path, FileLock::Sharing::kMachine));
  }
  CHECK(FileLock::try_take(path, FileLock::Sharing::kMachine));
}

TEST_CASE("a lock outlives its taker while another process holds the descriptor") {
  const fib::testing::TemporaryFolder folder;
  const auto path = folder.path() / "cpu.lock";
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  pid_t child = -1;
  {
    const auto lock = FileLock::try_take(path, FileLock::Sharing::kMachine);
    child = ::fork();
    if (child == 0) {
      char c;
      ::close(ends[1]);
      ::_exit(::read(ends[0], &c, 1) == 0 ? 0 : 1);
    }
  }
  CHECK_FALSE(FileLock::try_take(path, FileLock::Sharing::kMachine));
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
  CHECK(FileLock::try_take(path, FileLock::Sharing::kMachine));
  ::close(ends[0]);
}

TEST_CASE("a user's lock cannot be taken by who may only read the file, and waiting for it ends") {
  const fib::testing::TemporaryFolder folder;
  const auto path = folder.path() / "locks" / "entry.lock";
  { (void)FileLock::try_take(path, FileLock::Sharing::kUser); }
  const fib::util::UniqueFd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(reader.get(), LOCK_EX) == 0);
  const auto first = FileLock::take_within(path, std::chrono::milliseconds(0));
  CHECK_FALSE(FileLock::try_take(path, FileLock::Sharing::kUser));
  CHECK_THROWS_WITH(
      FileLock::take_within(path, std::chrono::milliseconds(50)),
      Catch::Contains(path.string() + " is locked by ") && Catch::Contains(" for more than 0.05 s"));
}

TEST_CASE("every user of the machine can take the lock") {
  const fib::testing::TemporaryFolder folder;
  const auto path = folder.path() / "locks" / "cpu.lock";
  const auto lock = FileLock::try_take(path, FileLock::Sharing::kMachine);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0666);
  REQUIRE(::stat(path.parent_path().c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 01777);
}

TEST_CASE("a lock that is given up is free, whoever has its descriptor") {
  const fib::testing::TemporaryFolder folder;
  for (const auto sharing : {FileLock::Sharing::kMachine, FileLock::Sharing::kUser}) {
    const auto path = folder.path() / (sharing == FileLock::Sharing::kMachine ? "machine" : "user");
    auto lock = FileLock::try_take(path, sharing);
    REQUIRE(lock);
    const int other = ::dup(lock->fd());
    lock->give_up();
    CHECK(FileLock::try_take(path, sharing));
    ::close(other);
  }
}
