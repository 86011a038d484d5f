#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <fstream>

#include "sandbox/confined_step.h"
#include "sandbox/process_group.h"
#include "support/in_child.h"
#include "support/temporary.h"

using namespace fib;
namespace fs = std::filesystem;

namespace {

std::string run(const fs::path& work, const std::function<std::string()>& step,
                const sandbox::StepLimits& limits = {}) {
  return sandbox::run_confined({}, work, limits, step);
}

bool reads(const fs::path& path) { return std::ifstream(path).is_open(); }

}  // namespace

TEST_CASE("a step returns its text, and writes to its folder alone") {
  const testing::TemporaryFolder work;
  const testing::TemporaryFolder other;
  std::ofstream(other.path() / "secret") << "x";
  const auto text = run(work.path(), [&] {
    std::ofstream(work.path() / "made") << "made";
    std::ofstream(other.path() / "made") << "made";
    return std::string(reads(other.path() / "secret") || reads("/etc/shadow") ? "read" : "hidden");
  });
  CHECK(text == "hidden");
  CHECK(fs::exists(work.path() / "made"));
  CHECK_FALSE(fs::exists(other.path() / "made"));
}

TEST_CASE("a step has no network, and its environment names a place in its folder") {
  const testing::TemporaryFolder work;
  CHECK(run(work.path(), [&] {
          const bool socket = std::system("exec 3<>/dev/tcp/127.0.0.1/1") == 0;
          const bool own = std::string(std::getenv("TMPDIR")).starts_with(work.path().string());
          return std::string(socket ? "socket" : own ? "own" : "strange");
        }) == "own");
}

TEST_CASE("what a step throws is thrown, and an end by a signal is an error of the machine") {
  const testing::TemporaryFolder work;
  CHECK_THROWS_WITH(run(work.path(), []() -> std::string { throw Error("no luck"); }), "no luck");
  CHECK_THROWS_WITH(run(work.path(),
                        []() -> std::string {
                          ::raise(SIGKILL);
                          return {};
                        }),
                    Catch::Contains("was ended by signal 9"));
}

TEST_CASE("a step that wants too much ends by its limit") {
  const testing::TemporaryFolder work;
  sandbox::StepLimits limits;
  limits.memory_bytes = 256U << 20U;
  CHECK_THROWS_AS(run(
                      work.path(),
                      []() -> std::string {
                        constexpr std::size_t kSize = std::size_t{512} << 20U;
                        void* memory = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                        std::memset(memory, 1, kSize);
                        ::pause();
                        return {};
                      },
                      limits),
                  sandbox::LimitReached);
  limits = {};
  limits.folder_bytes = 1U << 20U;
  CHECK_THROWS_AS(run(
                      work.path(),
                      [&]() -> std::string {
                        std::ofstream(work.path() / "big") << std::string(2U << 20U, 'x') << std::flush;
                        ::pause();
                        return {};
                      },
                      limits),
                  sandbox::LimitReached);
  limits = {};
  limits.processes = 20;
  CHECK_THROWS_AS(run(
                      work.path(),
                      []() -> std::string {
                        for (int i = 0; i < 30; ++i) {
                          if (::fork() == 0) ::pause();
                        }
                        ::pause();
                        return {};
                      },
                      limits),
                  sandbox::LimitReached);
}

TEST_CASE("nothing that a step has started outlives it") {
  const testing::TemporaryFolder work;
  const auto group = run(work.path(), [] {
    if (::fork() == 0) {
      ::setsid();
      if (::fork() == 0) ::pause();
      ::pause();
    }
    return std::to_string(::getpgrp());
  });
  // Killed processes are in the group until somebody has waited for them.
  const auto living = [&] { return sandbox::use_of_group(std::stoi(group)).processes; };
  for (int i = 0; i < 1000 && living() > 0; ++i) ::usleep(10'000);
  CHECK(living() == 0);
}

TEST_CASE("a step of an ordinary user is confined as well") {
  const testing::TemporaryFolder work;
  if (::geteuid() == 0) REQUIRE(::chown(work.path().c_str(), testing::kNobody, testing::kNobody) == 0);
  CHECK(testing::in_child([&] {
          if (!testing::become_nobody()) return 1;
          const auto text = run(work.path(), [&] {
            std::ofstream(work.path() / "made") << "made";
            return std::string(reads("/etc/hostname") ? "read" : "hidden");
          });
          return text == "hidden" && reads(work.path() / "made") ? 0 : 2;
        }) == 0);
}
