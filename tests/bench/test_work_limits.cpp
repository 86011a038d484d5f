#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "bench/work_limits.h"

// How much more than their claims a GPU's own counters may see of calls.
using namespace fib;
using bench::CountedWork;

namespace {

constexpr int kCounted = 48;  // calls

CountedWork counted(double busy_ms, double own_ms, double claimed_ms) {
  CountedWork work;
  work.calls = kCounted;
  work.busy_ms = work.engine_ms = busy_ms;
  work.own_ms = own_ms;
  work.claimed_ms = claimed_ms;
  work.parts = 1;
  return work;
}

}  // namespace

TEST_CASE("what may be at work beyond the claims is 1 us, a tenth of them and 4 % of fib's own work") {
  using bench::unclaimed_work;
  CHECK_FALSE(unclaimed_work(counted(0.1 + 0.002 + 0.0051, 0.1, 0.002)));
  CHECK(unclaimed_work(counted(0.1 + 0.002 + 0.0053, 0.1, 0.002)));
  CHECK_FALSE(unclaimed_work(counted(1.20, 0.1, 1)));
  CHECK(unclaimed_work(counted(1.21, 0.1, 1)));
  CHECK_FALSE(unclaimed_work({"none"}));
}

TEST_CASE("the engine may be at work for 0.3 ms a count and 1.5 us a kernel more") {
  const auto fails = [](double engine_ms, double claimed_ms, std::uint64_t parts, double own_ms = 0) {
    CountedWork work = counted(0, own_ms, claimed_ms);
    work.engine_ms = engine_ms + own_ms;
    work.parts = parts;
    return bench::unclaimed_work(work).has_value();
  };
  constexpr double kComing = 0.3 / kCounted;
  CHECK_FALSE(fails(0.11 + 0.001 + kComing + 0.0014, 0.1, 1));
  CHECK(fails(0.11 + 0.001 + kComing + 0.0016, 0.1, 1));
  CHECK_FALSE(fails(0.11 + 0.001 + kComing + 0.0599, 0.1, 40));
  CHECK(fails(0.11 + 0.001 + kComing + 0.0601, 0.1, 40));
  // And a quarter of fib's own copies, whose lines in the L2 cache have to be written back.
  CHECK_FALSE(fails(0.11 + 0.001 + kComing + 0.0014 + 0.0058, 0.1, 1, 0.02));
  CHECK(fails(0.11 + 0.001 + kComing + 0.0016 + 0.0058, 0.1, 1, 0.02));
  // No kernel is shorter than 0.6 us, whatever the worker says or does not say.
  CHECK_FALSE(fails(0.0066 + 0.001 + kComing + 0.0149, 0.006, 1000));
  CHECK(fails(0.0066 + 0.001 + kComing + 0.0151, 0.006, 1000));
  CHECK_FALSE(fails(0.0066 + 0.001 + kComing + 0.0149, 0.006, 0));
  CHECK(fails(0.0066 + 0.001 + kComing + 0.0151, 0.006, 0));
}

TEST_CASE("some long claims do not pay for work that the other calls hide") {
  const std::vector<double> usual(23, 0.002);
  CHECK(bench::claimed_ms({usual, {5}}) == Approx((0.002 * 23 + 0.004) / 24));
  CHECK(bench::claimed_ms({{1, 1.1, 1}}) == Approx(3.1 / 3));
  CHECK(bench::claimed_ms({{1, 1, 1, 2, 2}}) == Approx(1.05));
  CHECK(bench::claimed_ms({{1, 0.2, 1}}) == Approx(2.2 / 3));
  // Nor do long trials: the latency is the mean of the trials' medians, 0.4 here, the mean of all calls 0.9.
  CHECK(bench::claimed_ms({{1, 1, 1, 1, 1}, {0.1, 0.1, 0.1, 2, 2}, {0.1, 0.1, 0.1, 2, 2}}) ==
        Approx(0.4 * 1.05));
}

TEST_CASE("a call takes what is claimed and the least that any took beside it") {
  bench::Measurement m;
  m.trials_ms = {{1, 1}, {1, 1}};
  m.walls_ms = {60, 1.5, 60, 60};
  CHECK(bench::usual_wall_ms(m) == Approx(1.5));
  // Work that differs from call to call keeps its room.
  m.trials_ms = {{1, 50}, {50, 50}};
  m.walls_ms = {1.2, 50.3, 50.2, 50.5};
  CHECK(bench::usual_wall_ms(m) == Approx(0.2 + bench::claimed_ms(m.trials_ms)));
  CHECK(bench::most_wall_ms({2, false}) == Approx(6.7));
  CHECK(bench::most_wall_ms({2, true}) == Approx(8.2));
}

TEST_CASE("work beyond 1.5 times what is left open tells of other workloads") {
  // 1 us, 6.25 us for coming to the process, 1.5 us for a kernel and a tenth of the claim, 1.5 times.
  CHECK_FALSE(bench::tells_of_others(counted(0.0150, 0, 0.0150)));
  CHECK(bench::tells_of_others(counted(0.0156, 0, 0.0156)));
  // What fib itself does tells nothing.
  CHECK_FALSE(bench::tells_of_others(counted(0.0156, 0.002, 0.0156)));
}

TEST_CASE(
    "other threads may use half as much again of the CPUs in counted calls, and 0.1 ms, in Python 0.5 ms") {
  bench::Measurement m;
  CHECK(bench::usual_others_ms(m) == 0);
  m.others_ms = {3, 0.2, 0.1};
  CHECK(bench::usual_others_ms(m) == 0.2);
  const auto fails = [](double others_ms, bool in_python) {
    CountedWork work = counted(0.1, 0, 0.1);
    work.others_ms = others_ms;
    return bench::computes_beside(work, {1, in_python, 0.2});
  };
  CHECK_FALSE(fails(0.39, false));
  CHECK(fails(0.41, false));
  CHECK_FALSE(fails(0.79, true));
  CHECK(fails(0.81, true));
  // In nine of ten calls three times as much, but not as much as a core can do in a call, however much they
  // always use.
  const auto computes = [](double long_others_ms, const bench::UsualCall& usual) {
    CountedWork work = counted(0.1, 0, 0.1);
    work.long_others_ms = long_others_ms;
    return bench::computes_beside(work, usual);
  };
  CHECK_FALSE(computes(0.69, {2, false, 0.2}));
  CHECK(computes(0.71, {2, false, 0.2}));
  CHECK_FALSE(computes(1.9, {2, false, 3}));
  CHECK(computes(2.1, {2, false, 3}));
  CHECK_FALSE(computes(0.49, {0.1, false, 3}));
}

TEST_CASE("counted calls may take 3 times and 0.7 ms as long as others, in Python 2.2 ms") {
  const auto fails = [](double wall_ms, bool in_python) {
    CountedWork work = counted(0.1, 0, 0.1);
    work.long_wall_ms = wall_ms;
    return bench::is_slow(work, {0.1, in_python});
  };
  CHECK_FALSE(fails(0.99, false));
  CHECK(fails(1.01, false));
  CHECK_FALSE(fails(2.49, true));
  CHECK(fails(2.51, true));
  // What timed calls wait around their work, beyond 0.3 ms, is there once.
  CHECK(bench::most_wall_ms({1.4, false, 0, 0.3}) == Approx(3 * 1.4 + 0.7));
  CHECK(bench::most_wall_ms({1.4, false, 0, 1.3}) == Approx(3 * 0.4 + 1 + 0.7));
}
