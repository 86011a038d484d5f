#include <catch2/catch.hpp>

#include "device/cuda/trace.h"

using fib::device::cuda::summarise;

TEST_CASE("busy time is the union of what runs, the span reaches over the gaps") {
  const auto trace = summarise({{300, 400, 1, 12, true, false},   // after a gap
                                {100, 200, 1, 10, true, false},   // out of order
                                {150, 220, 2, 11, false, false},  // overlaps, on another stream
                                {160, 170, 2, 11, true, false}},  // inside
                               {{10, 11, 12}, {}});
  CHECK(trace.kernels == 3);
  CHECK(trace.copies == 1);
  CHECK(trace.streams == 2);
  CHECK(trace.orphans == 0);
  CHECK(trace.busy_ns == 220);
  CHECK(trace.span_ns == 300);
}

TEST_CASE("work that the call did not ask for is an orphan, work of its kernels is not") {
  const auto trace = summarise(
      {{0, 10, 1, 1, true, false}, {5, 15, 3, 99, true, false}, {10, 20, 4, 77, true, true}}, {{1}, {}});
  CHECK(trace.orphans == 1);
  CHECK(trace.kernels == 3);
  CHECK(trace.busy_ns == 20);
}

TEST_CASE("fib's own work is not the call's, and no orphan") {
  const auto trace = summarise({{0, 10, 1, 1, false, false}, {20, 25, 1, 2, true, false}}, {{2}, {1}});
  CHECK(trace.orphans == 0);
  CHECK(trace.copies == 0);
  CHECK(trace.kernels == 1);
  CHECK(trace.span_ns == 5);
}

TEST_CASE("launches without a record are missing") {
  const auto trace =
      summarise({{0, 10, 1, 1, true, false}, {10, 20, 1, 3, true, false}}, {{1, 2, 3}, {}, {1, 2, 3}});
  CHECK(trace.missing == 1);
  CHECK(trace.kernels == 2);
}

TEST_CASE("a call without work has no time") {
  const auto trace = summarise({}, {});
  CHECK(trace.kernels == 0);
  CHECK(trace.streams == 0);
  CHECK(trace.busy_ns == 0);
  CHECK(trace.span_ns == 0);
}

TEST_CASE("a trace sums up launches that are alike, those that took longest first") {
  using fib::device::cuda::Activity;
  const auto kernel = [](std::int64_t begin, std::int64_t end, const char* symbol, std::uint32_t registers) {
    Activity activity{begin, end, 1, 1, true, false};
    activity.launch.symbol = symbol;
    activity.launch.registers = registers;
    return activity;
  };
  const Activity copy{100, 200, 1, 1, false, false};
  const Activity of_kernel{100, 900, 1, 1, true, true};
  auto of_fib = kernel(0, 5000, "flush", 8);
  of_fib.correlation = 2;
  const auto trace = summarise({kernel(0, 10, "a", 16), kernel(10, 40, "b", 32), kernel(40, 60, "a", 16),
                                kernel(60, 70, "a", 24), copy, of_kernel, of_fib},
                               {{1}, {2}});
  REQUIRE(trace.uses.size() == 3);
  CHECK(trace.uses[0].launch.symbol == "a");
  CHECK(trace.uses[0].launch.registers == 16);
  CHECK(trace.uses[0].times == 2);
  CHECK(trace.uses[0].busy_ns == 30);
  CHECK(trace.uses[1].launch.symbol == "b");
  CHECK(trace.uses[1].busy_ns == 30);
  CHECK(trace.uses[2].launch.registers == 24);
}

TEST_CASE("a trace of very many different kernels keeps those that took longest") {
  std::vector<fib::device::cuda::Activity> activities;
  for (std::uint32_t i = 0; i < 100; ++i) {
    auto& one = activities.emplace_back();
    one = {0, i, 1, 1, true, false};
    one.launch.registers = i;
  }
  const auto trace = summarise(activities, {{1}, {}});
  REQUIRE(trace.uses.size() == fib::device::cuda::kMostUses);
  CHECK(trace.uses[0].launch.registers == 99);
}
