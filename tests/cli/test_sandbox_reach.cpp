#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/fib_run.h"
#include "util/files.h"

// What a running solution can reach of the machine, tried by the real program.
namespace fs = std::filesystem;
using namespace fib;

namespace {

// A solution that computes what it should and prints "REACHED <what>" for whatever it should not have
// reached.
std::string explorer(const std::string& tries) {
  return R"(
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static void reads(const char* path) {
  int fd = open(path, O_RDONLY | O_NONBLOCK);
  if (fd >= 0) printf("REACHED %s\n", path), close(fd);
}
static void writes(const char* path) {
  int fd = open(path, O_WRONLY | O_NONBLOCK);
  if (fd >= 0) printf("REACHED %s for writing\n", path), close(fd);
}
static void explore() {)" +
         tries + R"(
}
extern "C" void run(const float* a, const float* b, float* c, long n) {
  static bool explored = false;
  if (!explored) explore();
  explored = true;
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
})";
}

const std::vector<std::string> kFewCalls = {"--iterations", "3", "--num-trials", "1", "--warmup-runs", "1"};

testing::TraceLine only_trace(const testing::FibRun& run) {
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  return traces[0];
}

}  // namespace

TEST_CASE("a solution reads no file of the user, of other solutions or of fib") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  const auto secret = run.folder.path() / "secret";
  std::ofstream(secret) << "secret";
  fs::permissions(secret, fs::perms(0600));
  run.dataset.solution("explorer", "test",
                       explorer(R"(
    reads(")" + secret.string() +
                                R"(");
    reads(")" + (run.folder.path() / "cache").string() +
                                R"(");
    reads(")" + run.dataset.root().string() +
                                R"(");
    reads("/proc/self/root)" + secret.string() +
                                R"(");
    reads("/etc/shadow"); reads("/root"); reads("/home"); reads("/var/log"); reads("/etc/hostname");
    char path[64]; sprintf(path, "/proc/%d/mem", getppid()); reads(path);
    sprintf(path, "/proc/%d/environ", getppid()); reads(path);
    reads("/proc/1/environ"); reads("/proc/1/root/etc/shadow");)"));
  const auto result = run.run(kFewCalls);
  INFO(result.err);
  CHECK(only_trace(run).status == "PASSED");
  INFO(only_trace(run).log);
  CHECK(only_trace(run).log.find("REACHED") == std::string::npos);
}

TEST_CASE("a solution opens no device but those that hold nothing, and writes to no file of the machine") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("explorer", "test", explorer(R"(
    const char* const devices[] = {"/dev/kmsg", "/dev/loop0", "/dev/loop-control", "/dev/kvm", "/dev/fuse", "/dev/mem",
                             "/dev/tty", "/dev/ptmx", "/dev/console", "/dev/vda", "/dev/sda"};
    for (const char* name : devices) reads(name), writes(name);
    const char* const files[] = {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/etc/passwd", "/usr/bin/env"};
    struct stat status;  // what lies over files that only root may read is /dev/null, which takes everything
    for (const char* name : files)
      if (stat(name, &status) != 0 || !S_ISCHR(status.st_mode)) writes(name);
    const char* const harmless[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
    for (const char* name : harmless)
      if (access(name, R_OK) != 0) printf("REACHED nothing at %s\n", name);)"));
  (void)run.run(kFewCalls);
  CHECK(only_trace(run).status == "PASSED");
  INFO(only_trace(run).log);
  CHECK(only_trace(run).log.find("REACHED") == std::string::npos);
}

TEST_CASE("a solution cannot change its own library, also not in the cache") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution(
      "explorer", "test",
      "static int atoi_(const char* s) { int n = 0; while (*s) n = 10 * n + (*s++ - '0'); return n; }\n" +
          explorer(R"(
    DIR* fds = opendir("/proc/self/fd");
    for (dirent* e = readdir(fds); e; e = readdir(fds)) {
      char path[300], target[300] = {};
      snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
      if (readlink(path, target, sizeof target - 1) < 0) continue;
      if (strstr(target, "kernel.so") || strstr(target, "cache")) printf("REACHED %s\n", target);
      if (!strstr(target, "fib-artifact")) continue;
      int fd = open(path, O_RDWR);
      if (fd < 0) fd = atoi_(e->d_name);
      if (pwrite(fd, "x", 1, 0) == 1 || ftruncate(fd, 0) == 0) printf("REACHED the library\n");
    })"));
  (void)run.run(kFewCalls);
  CHECK(only_trace(run).status == "PASSED");
  INFO(only_trace(run).log);
  CHECK(only_trace(run).log.find("REACHED") == std::string::npos);
}

TEST_CASE("a solution has no memory files, which no limit counts") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("explorer", "test", explorer(R"(
    if (memfd_create("x", 0) >= 0) printf("REACHED a memory file\n");
)"));
  (void)run.run(kFewCalls);
  CHECK(only_trace(run).status == "PASSED");
  CHECK(only_trace(run).log.find("REACHED a memory file") == std::string::npos);
}

TEST_CASE("traces say what held, and strict runs where all of it does") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("honest", "test", explorer(""));
  auto strict = kFewCalls;
  strict.insert(strict.end(), {"--sandbox", "strict"});
  const auto result = run.run(strict);
  const auto sandbox_of_last = [&] {
    for (const auto& entry : fs::recursive_directory_iterator(run.dataset.root() / "traces")) {
      if (entry.path().extension() != ".jsonl") continue;
      const std::string text = util::read_file(entry);
      const auto begin = text.rfind('\n', text.size() - 2) + 1;
      return nlohmann::json::parse(text.substr(begin)).at("evaluation").at("fib").at("sandbox");
    }
    return nlohmann::json();
  };
  if (result.exit_code != 0) {
    CHECK(result.err.find("--sandbox strict: this system") != std::string::npos);
    WARN("this system does not allow all of the sandbox: " << result.err);
  } else {
    const auto held = sandbox_of_last();
    CHECK(held.at("mode") == "strict");
    CHECK(held.at("mounts") == true);
    CHECK(held.at("landlock") > 0);
    CHECK(held.at("system_calls") == true);
    CHECK(held.at("memory_group").is_boolean());  // strict does not ask for it: few systems delegate groups
  }
  auto off = kFewCalls;
  off.insert(off.end(), {"--sandbox", "off"});
  REQUIRE(run.run(off).exit_code == 0);
  const auto none = sandbox_of_last();
  CHECK(none.at("mode") == "off");
  CHECK(none.at("mounts") == false);
  CHECK(none.at("landlock") == 0);
  CHECK(none.at("system_calls") == false);
}
