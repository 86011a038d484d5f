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

TEST_CASE("a call without work has no time") {
  const auto trace = summarise({}, {});
  CHECK(trace.kernels == 0);
  CHECK(trace.streams == 0);
  CHECK(trace.busy_ns == 0);
  CHECK(trace.span_ns == 0);
}
