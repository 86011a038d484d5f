#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <ctime>
#include <functional>
#include <thread>

#include "util/clock.h"
#include "worker/process_tree.h"
#include "worker/watched_process.h"

using fib::util::monotonic_ns;
using fib::worker::WatchedProcess;

namespace {

void work_for_ms(int milliseconds) {
  for (const std::int64_t end = monotonic_ns() + 1'000'000LL * milliseconds; monotonic_ns() < end;) {
  }
}

// A process that does this, says so, does what comes then, and sleeps until it is killed.
class Process {
 public:
  explicit Process(
      const std::function<void()>& body, const std::function<void()>& then = [] {}) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      body();
      (void)!::write(ready[1], "x", 1);
      then();
      while (true) ::pause();
    }
    char byte = 0;
    (void)!::read(ready[0], &byte, 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Process() {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

void let_a_thread(const std::function<void()>& body) { std::thread(body).detach(); }

void let_a_child(const std::function<void()>& body) {
  if (::fork() != 0) return;
  body();
  while (true) ::pause();
}

using Worker = WatchedProcess::Worker;

}  // namespace

TEST_CASE("a process without other threads is at rest at once") {
  const Process process([] {});
  WatchedProcess watched(process.pid(), true);
  CHECK_FALSE(watched.has_other_threads());
  CHECK_FALSE(watched.has_descendants());
  const auto rest = watched.wait_until_rest(100, 50);
  CHECK(rest.at_work == Worker::kNobody);
  CHECK(rest.last_activity_ns == 0);
}

TEST_CASE("a main thread that sleeps is not waited for, and one that works for some time alone") {
  const Process sleeping([] {});
  const WatchedProcess at_rest(sleeping.pid(), false);
  CHECK(at_rest.await_main_thread());
  const Process spinning([] {
    (void)std::signal(SIGALRM, [](int) {
      for (volatile bool is_on = true; is_on;) continue;
    });
    (void)::ualarm(1000, 0);  // when it has said that it is ready
  });
  ::usleep(50'000);
  const WatchedProcess at_work(spinning.pid(), false);
  CHECK_FALSE(at_work.await_main_thread());
}

TEST_CASE("threads that sleep are at rest, however many they are, and one that spins is not") {
  const Process sleeping([] {
    for (int i = 0; i < 200; ++i) let_a_thread([] { ::pause(); });
    ::usleep(100'000);
  });
  WatchedProcess pool(sleeping.pid(), false);
  CHECK(pool.has_other_threads());
  CHECK(pool.wait_until_rest(100, 2000).at_work == Worker::kNobody);
  const Process spinning([] {
    let_a_thread([] {
      while (true) {
      }
    });
  });
  WatchedProcess busy(spinning.pid(), false);
  const auto rest = busy.wait_until_rest(2000, 50);
  CHECK(rest.at_work == Worker::kThreads);
  CHECK(rest.last_activity_ns > 0);
}

TEST_CASE("work that a thread does for a while is seen and waited for") {
  const Process process([] { let_a_thread([] { work_for_ms(50); }); });
  WatchedProcess watched(process.pid(), false);
  const std::int64_t begin = monotonic_ns();
  const auto rest = watched.wait_until_rest(1000, 5000);
  CHECK(rest.at_work == Worker::kNobody);
  // On a busy machine it may have worked before the first look.
  if (rest.last_activity_ns != 0) CHECK(rest.last_activity_ns > begin);
}

TEST_CASE("children that sleep are at rest, one that works is not, and its CPU time is seen") {
  const Process quiet([] { let_a_child([] {}); });
  WatchedProcess sleeping(quiet.pid(), true);
  CHECK(sleeping.has_descendants());
  CHECK(sleeping.wait_until_rest(100, 2000).at_work == Worker::kNobody);
  CHECK_FALSE(WatchedProcess(quiet.pid(), false).has_descendants());
  const Process loud([] { let_a_child([] { work_for_ms(60'000); }); });
  WatchedProcess working(loud.pid(), true);
  const auto before = working.usage();
  CHECK(working.wait_until_rest(100, 100).at_work == Worker::kProcesses);
  CHECK(WatchedProcess::used_by_others_ns(before, working.usage()) > 1'000'000);
}

TEST_CASE("a process's CPU time is that of all of its threads, those that have ended too") {
  const Process process([] {
    work_for_ms(20);
    std::thread([] { work_for_ms(20); }).join();
  });
  WatchedProcess watched(process.pid(), false);
  ::usleep(50'000);  // until the main thread sleeps
  const auto usage = watched.usage();
  CHECK(usage.main_ns > 0);
  CHECK(usage.others_ns > 5'000'000);
  CHECK(WatchedProcess::used_by_others_ns(usage, watched.usage()) == 0);
}

TEST_CASE("what a thread has used of the CPU until now is known exactly where it is asked for exactly") {
  struct Shared {
    std::atomic<std::int64_t> used_ns{0};
  };
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* const shared = new (memory) Shared;
  {
    const Process process([shared] {
      let_a_thread([shared] {
        while (true) {
          timespec used{};
          ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
          shared->used_ns = std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
        }
      });
    });
    WatchedProcess watched(process.pid(), false);
    for (int i = 0; i < 40; ++i) {
      ::usleep(1300);
      const std::int64_t told = shared->used_ns;
      CHECK(watched.exact_usage().others_ns >= told);
    }
    const std::int64_t before = shared->used_ns;  // it goes on
    for (int i = 0; i < 2000 && shared->used_ns == before; ++i) ::usleep(1000);
    CHECK(shared->used_ns > before);
  }
  ::munmap(memory, sizeof(Shared));
}

TEST_CASE("a process is stopped when its calls of the kernel have ended, which a stop does not end") {
  constexpr std::size_t kBytes = std::size_t{16} << 30U;
  const Process process([] {
    let_a_thread([] {
      void* const zeros =
          ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      while (true) {
        ::madvise(zeros, kBytes, MADV_POPULATE_READ);
        ::madvise(zeros, kBytes, MADV_DONTNEED);
      }
    });
  });
  WatchedProcess watched(process.pid(), false);
  ::usleep(50'000);
  for (int i = 0; i < 5; ++i) {
    REQUIRE_FALSE(watched.stop(10'000));
    const auto before = watched.usage();
    ::usleep(20'000);
    CHECK(WatchedProcess::used_by_others_ns(before, watched.usage()) == 0);
    ::kill(-process.pid(), SIGCONT);
    ::usleep(3'000);
  }
}

TEST_CASE("a process is stopped whose main thread waits where no stop reaches it") {
  const auto rests_and_works = [] {
    let_a_thread([] {
      while (true) {
        ::usleep(1000);
        work_for_ms(1);
      }
    });
  };
  const auto waits = [] {
    static char stack[1 << 16];
    const auto sleeps = [](void*) {
      while (true) ::pause();
      return 0;
    };
    ::clone(sleeps, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
  };
  const auto expect_stops = [](pid_t pid) {
    WatchedProcess watched(pid, true);
    ::usleep(20'000);
    for (int i = 0; i < 10; ++i) {
      REQUIRE_FALSE(watched.stop(10'000));
      const auto before = watched.usage();
      ::usleep(10'000);
      CHECK(WatchedProcess::used_by_others_ns(before, watched.usage()) == 0);
      ::kill(-pid, SIGCONT);
      const auto going_on = watched.usage();
      const auto has_gone_on = [&] {
        return WatchedProcess::used_by_others_ns(going_on, watched.usage()) > 0;
      };
      for (int wait = 0; wait < 2000 && !has_gone_on(); ++wait) ::usleep(1000);
      CHECK(has_gone_on());
    }
  };
  const Process process(rests_and_works, waits);
  expect_stops(process.pid());
  WatchedProcess exact(process.pid(), true);
  CHECK(exact.exact_usage(true).was_stopped);
  const Process parent([&] {
    let_a_child([&] {
      rests_and_works();
      waits();
    });
  });
  expect_stops(parent.pid());
  const Process alone([] {}, waits);  // nobody but a thread that waits
  WatchedProcess waiting(alone.pid(), true);
  ::usleep(20'000);
  CHECK_FALSE(waiting.stop(10'000));
  ::kill(-alone.pid(), SIGCONT);
}

TEST_CASE("a descendant that has left the group is not stopped, since nothing would let it go on") {
  const Process process([] {
    let_a_child([] {
      ::setsid();
      while (true) ::pause();
    });
  });
  ::usleep(50'000);
  WatchedProcess watched(process.pid(), true);
  CHECK_FALSE(watched.stop(10'000));
  const auto descendants = fib::worker::descendants_of(process.pid());
  REQUIRE(descendants.size() == 1);
  CHECK(fib::worker::state_of(descendants.front()) == 'S');
  CHECK(fib::worker::state_of(process.pid()) == 'T');
  ::kill(-process.pid(), SIGCONT);
  ::kill(descendants.front(), SIGKILL);
}

TEST_CASE("who does not stop, and why, is said") {
  // As if another process of the user let it go on.
  const Process process([] {
    let_a_thread([] {
      while (true) work_for_ms(1);
    });
  });
  std::atomic<bool> ends{false};
  std::thread goes_on([&] {
    while (!ends) {
      ::kill(-process.pid(), SIGCONT);
      ::usleep(10);
    }
  });
  WatchedProcess watched(process.pid(), true);
  std::optional<std::string> why;
  for (int i = 0; i < 20 && !why; ++i) why = watched.stop(1);
  ends = true;
  goes_on.join();
  CHECK(why.value_or("") == "its processes worked on when they were to stop");
}

TEST_CASE("a process that has ended is at rest") {
  pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  WatchedProcess watched(gone, true);
  CHECK(watched.wait_until_rest(100, 50).at_work == Worker::kNobody);
  CHECK(watched.usage().others_ns == 0);
}
