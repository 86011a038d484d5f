#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <thread>

#include "tracing/traced.h"

using namespace fib;
using testing::MixedCall;
using testing::TracedDataset;

namespace {

// A program that traces calls, more than it can write, until it is killed.
[[noreturn]] void trace_forever(const TracedDataset& data) {
  try {
    tracing::Tracing tracing(
        data.load(), tracing::parse_config(R"({"input_dump_policy":"dump_all","filter_policy":"keep_all"})"));
    for (std::int64_t n = 1;; n = n % 3000 + 1) {
      const MixedCall call(n);
      (void)testing::collect(tracing, "mixed", call);
      if (n % 64 == 0) tracing.flush();
    }
  } catch (...) {
    ::_exit(1);
  }
}

}  // namespace

// SIGKILL may end a write between two pages of the file, so that the last line can be torn.
TEST_CASE("a program that is killed leaves whole records, whole blobs and a torn last line at most") {
  const TracedDataset data;
  const auto seed = std::random_device()();
  WARN("seed " << seed);  // of the moments
  std::mt19937 random(seed);
  std::size_t written = 0;
  std::size_t torn = 0;
  constexpr int kTurns = 50;
  for (int turn = 0; turn < kTurns; ++turn) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) trace_forever(data);
    std::this_thread::sleep_for(std::chrono::microseconds(2000 + random() % 30000));
    REQUIRE(::kill(child, SIGKILL) == 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    const auto workloads = data.workloads("mixed", &torn);  // no other line is a problem
    CHECK(workloads.size() >= written);
    for (std::size_t i = written; i < workloads.size(); ++i) {
      const auto& workload = workloads[i];
      const auto n = static_cast<std::size_t>(workload.axes[0].second.value);
      CHECK(data.values<std::int64_t>(workload, "ids").size() == n);
      CHECK(data.values<float>(workload, "x").at(n - 1) == static_cast<float>(n - 1) / 2);
    }
    written = workloads.size();
  }
  CHECK(written > 5);
  CHECK(torn < kTurns);
  {
    tracing::Tracing tracing(data.load(), tracing::parse_config(R"({"filter_policy":"keep_all"})"));
    const MixedCall call(1);
    (void)testing::collect(tracing, "mixed", call);
  }
  CHECK(data.workloads("mixed").size() == written + 1);  // the next writer has moved the torn line aside
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data.builder.root() / "blob")) {
    if (entry.path().extension() == ".safetensors") CHECK_NOTHROW(tensor::SafetensorsFile(entry.path()));
  }
  testing::expect_valid(data.builder.root(), kTurns);  // one blob a kill may lack its record
}
