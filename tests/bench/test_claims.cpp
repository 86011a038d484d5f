#include <catch2/catch.hpp>

#include "bench/claims.h"

namespace bench = fib::bench;
using fib::worker::Clock;
using Ran = fib::worker::CallTimes;

namespace {

Ran call(double elapsed_ns, std::int64_t envelope_ns, std::int64_t waited_ns = 0) {
  Ran ran;
  ran.done.elapsed_ns = elapsed_ns;
  ran.envelope_ns = envelope_ns;
  ran.waited_ns = waited_ns;
  return ran;
}

// Timed calls of `claim_ms` each, in which the coordinator saw `unexplained_ms` more.
bench::Measurement measured(Clock clock, double claim_ms, double unexplained_ms) {
  bench::Measurement m;
  m.clock = clock;
  m.trials_ms = {{claim_ms, claim_ms, claim_ms}, {claim_ms, claim_ms, claim_ms}};
  m.unexplained_ms = {{0, 0, 0}, {unexplained_ms, unexplained_ms, unexplained_ms}};
  return m;
}

}  // namespace

TEST_CASE("a call takes no longer than was seen of it, and no shorter than writing its outputs takes") {
  CHECK_FALSE(bench::impossible_claim(call(1000, 2000), 4'000'000, false));
  CHECK(bench::impossible_claim(call(999, 2000), 4'000'000, false));
  CHECK(bench::impossible_claim(call(2001, 2000), 64, false) ==
        "the worker claims 2001 ns for the call, which is not possible (the coordinator saw 2000 ns, writing "
        "the outputs takes 0 ns)");
  CHECK(bench::impossible_claim(call(0, 2000), 64, false));
  CHECK(bench::impossible_claim(call(-5, 2000), 64, true));
}

TEST_CASE("a GPU's cache writes faster than any memory of a host") {
  CHECK_FALSE(bench::impossible_claim(call(200, 2000), 4'000'000, true));
  CHECK(bench::impossible_claim(call(199, 2000), 4'000'000, true));
}

TEST_CASE("calls are sorted into trials by the plan, without their warm-up") {
  std::vector<Ran> runs;
  for (int i = 0; i < 10; ++i) runs.push_back(call(1e6 * i, 1'000'000 * i + 300'000, 100'000));
  bench::Measurement m;
  m.clock = Clock::kHost;
  m.plan = {2, 2, 3, false};
  bench::sort_into_trials(runs, false, m);
  CHECK(m.trials_ms == std::vector<std::vector<double>>{{2, 3, 4}, {7, 8, 9}});
  REQUIRE(m.unexplained_ms.size() == 2);
  CHECK(m.unexplained_ms[1][2] == Approx(0.2));
  CHECK(m.envelopes_ms.size() == 6);
  CHECK(m.clocks_mhz.empty());
}

TEST_CASE("of what other threads use of the CPUs the exact accounts count, where there are some") {
  std::vector<Ran> runs;
  for (int i = 0; i < 10; ++i) {
    runs.push_back(call(1e6, 2'000'000));
    runs.back().others_cpu_ns = 100'000;
    runs.back().beside.others_cpu_ns = 200'000;
  }
  bench::Measurement m;
  m.on_cuda = true;
  m.plan = {2, 2, 3, false};
  runs[0].beside.exact_others_ns = 900'000;  // of a warm-up call
  bench::sort_into_trials(runs, false, m);
  REQUIRE(m.others_ms.size() == 6);
  CHECK_FALSE(m.others_are_exact);
  CHECK(m.others_ms.front() == Approx(0.3));
  runs[8].beside.exact_others_ns = 700'000;
  bench::sort_into_trials(runs, false, m);
  REQUIRE(m.others_ms.size() == 1);
  CHECK(m.others_are_exact);
  CHECK(m.others_ms.front() == Approx(0.7));
}

TEST_CASE("a run that was cut off has fewer trials, the last with fewer calls") {
  bench::Measurement m;
  m.plan = {3, 1, 2, false};
  bench::sort_into_trials({call(1, 9), call(2e6, 9), call(3, 9), call(4, 9), call(5e6, 9)}, false, m);
  CHECK(m.trials_ms == std::vector<std::vector<double>>{{2, 3e-6}, {5}});
}

TEST_CASE("what calls take beyond their claims is added to a trial where it is more than usual") {
  bench::Measurement m;
  m.overhead = bench::Overhead{.slack_ms = 0.03};
  m.trials_ms = {{1, 1, 1, 1}, {1, 2, 3}, {1, 2, 3}, {1, 1, 1, 1}};
  // In three of four calls; by little; in every call; and in all, each time a different amount: then the
  // median counts, as it does of calls that leave out nothing.
  m.unclaimed_ms = {{5, 0, 7, 9}, {1.12, 0.12, 0.12}, {1.5, 0.5, 0.5}, {5, 2, 7, 9}};
  bench::add_unclaimed_time(m);
  CHECK(m.added_ms == std::vector<double>{0, 0, 0.5, 6});
  CHECK(m.trials_ms[0] == std::vector<double>{1, 1, 1, 1});
  CHECK(m.trials_ms[1] == std::vector<double>{1, 2, 3});
  CHECK(m.trials_ms[2] == std::vector<double>{1.5, 2.5, 3.5});
  REQUIRE(bench::about_added_time(m));
  CHECK(bench::about_added_time(m)->starts_with("6.0000 ms a call"));
}

TEST_CASE("one call of ten that leaves nothing out clears no trial, three do") {
  bench::Measurement m;
  m.overhead = bench::Overhead{.slack_ms = 0.03};
  m.trials_ms = {std::vector<double>(10, 1), std::vector<double>(10, 1)};
  std::vector<double> lies(10, 5);
  lies[3] = lies[6] = 0;
  m.unclaimed_ms = {lies, lies};
  m.unclaimed_ms[1][8] = 0;
  bench::add_unclaimed_time(m);
  CHECK(m.added_ms == std::vector<double>{5, 0});
}

TEST_CASE("claims that are lies in other calls than those that are slow gain nothing") {
  bench::Measurement m;
  m.overhead = bench::Overhead{.slack_ms = 0.03};
  // 0.5 ms each, of which a third of the calls claims all, and the others leave all of it out.
  m.trials_ms = {{0.5, 0.001, 0.001, 0.5, 0.001, 0.001}};
  m.unclaimed_ms = {{0, 0.5, 0.5, 0, 0.5, 0.5}};
  bench::add_unclaimed_time(m);
  CHECK(m.trials_ms[0][1] == Approx(0.5).epsilon(0.01));
}

TEST_CASE("nothing is added where nothing is known of the reference's calls") {
  bench::Measurement m;
  m.trials_ms = {{1, 2, 3}};
  m.unclaimed_ms = {{}};
  bench::add_unclaimed_time(m);
  CHECK(m.trials_ms[0] == std::vector<double>{1, 2, 3});
  CHECK_FALSE(bench::about_added_time(m));
}

TEST_CASE("what the host needs to queue a call is known waiting, up to the end of the spin") {
  const auto unexplained = [](Clock clock, bool covered, double host_ns) {
    Ran ran = call(1e6, 9'000'000);
    ran.done.host_ns = host_ns;
    ran.done.covered = covered;
    bench::Measurement m;
    m.clock = clock;
    m.plan = {1, 0, 1, false};
    bench::sort_into_trials({ran}, false, m);
    return m.unexplained_ms.at(0).at(0);
  };
  CHECK(unexplained(Clock::kEvents, true, 3e6) == Approx(5));
  CHECK(unexplained(Clock::kEvents, true, 8e6) == Approx(3));
  CHECK(unexplained(Clock::kEvents, false, 3e6) == Approx(8));
  CHECK(unexplained(Clock::kCuptiConcurrent, true, 3e6) == Approx(8));
  CHECK(unexplained(Clock::kEventSegments, false, 3e6) == Approx(5));
}

TEST_CASE("on a device, what C and C++ need to queue a call, or do around it, is added where it is much") {
  // A call of 1 ms in which the host needs host_ms, beside a Prepare and a Collect of so many microseconds.
  const auto added = [](bool is_guest, double host_ms, std::int64_t prepare_us, std::int64_t collect_us) {
    Ran ran = call(1e6, 1'000'000 + static_cast<std::int64_t>(1e6 * host_ms));
    ran.done.host_ns = 1e6 * host_ms;
    ran.beside.prepare_ns = 1000 * prepare_us;
    ran.beside.collect_ns = 1000 * collect_us;
    bench::Measurement m;
    m.clock = Clock::kEventSegments;
    m.on_cuda = true;
    m.overhead = bench::Overhead{.prepare_ms = 0.2, .collect_ms = 0.1};
    m.plan = {1, 0, 1, false};
    bench::sort_into_trials({ran}, is_guest, m);
    bench::add_unclaimed_time(m);
    if (m.added_ms.at(0) > 0) {
      CHECK(bench::about_added_time(m)->ends_with(
          "the host took so much longer around them, which may have been work"));
    }
    return m.added_ms.at(0);
  };
  CHECK(added(false, 0.49, 200, 100) == 0);
  CHECK(added(false, 0.6, 200, 100) == Approx(0.6));
  CHECK(added(true, 0.6, 200, 100) == 0);
  CHECK(added(true, 5.4, 200, 100) == 0);
  CHECK(added(true, 5.6, 200, 100) == Approx(0.6));
  CHECK(added(false, 0.3, 350, 200) == Approx(0.55));
  CHECK(added(true, 0, 800, 100) == Approx(0.6));
  CHECK(added(true, 0, 100, 700) == Approx(0.6));
}

TEST_CASE("time that nothing explains, in one trial, is work that the worker left out") {
  CHECK_FALSE(bench::unexplained_time(measured(Clock::kHost, 1, 0.49)));
  CHECK(bench::unexplained_time(measured(Clock::kHost, 1, 0.51)) ==
        "the worker claims 1.000 ms a call, and the coordinator's clock saw 0.510 ms more that nothing "
        "explains");
  CHECK(bench::unexplained_time(measured(Clock::kEvents, 1, 5))
            ->ends_with("explains (--clock events cannot time calls that wait for the device)"));
  CHECK_FALSE(bench::unexplained_time(measured(Clock::kCuptiKernel, 1, 2)));
  CHECK(bench::unexplained_time(measured(Clock::kCuptiKernel, 1, 2.2)));
  auto slow = measured(Clock::kHost, 1, 1);
  slow.round_trip_ms = 0.2;
  CHECK_FALSE(bench::unexplained_time(slow));
}

TEST_CASE("the second clock may see a little more than the events, as kernels run one at a time for it") {
  auto m = measured(Clock::kEvents, 0.010, 0);
  CHECK_FALSE(bench::disagreeing_clocks(m));  // nobody looked
  m.witness_clock = Clock::kCuptiKernel;
  m.witness_ms = {0.019, 0.019, 5};
  CHECK_FALSE(bench::disagreeing_clocks(m));
  m.witness_ms = {0.021, 0.021, 0.001};
  CHECK(bench::disagreeing_clocks(m) ==
        "the clocks disagree: 0.0100 ms a call by events, 0.0210 ms by cupti-kernel");
  m.clock = Clock::kCuptiConcurrent;
  CHECK_FALSE(bench::disagreeing_clocks(m));
  m.witness_ms = {0.051};
  CHECK(bench::disagreeing_clocks(m));  // more than gaps between kernels
  m.clock = Clock::kEventSegments;
  m.witness_ms = {0.021};
  CHECK(bench::disagreeing_clocks(m));
  m.witness_ms = {0.019};
  CHECK_FALSE(bench::disagreeing_clocks(m));
  // Kernels of a chain may begin before those in front of them have ended.
  m.kernels = 3;
  m.witness_ms = {0.0219};
  CHECK_FALSE(bench::disagreeing_clocks(m));
  m.witness_ms = {0.0221};
  CHECK(bench::disagreeing_clocks(m));
  CHECK(bench::sees_more(20'001, 10'000));
  CHECK_FALSE(bench::sees_more(19'999, 10'000));
}

TEST_CASE("the host's clock sees where a kernel rewrites the times of events") {
  const auto problem = [](double beyond_ns, Clock clock = Clock::kEvents) {
    std::vector<Ran> runs;
    for (int i = 0; i < 10; ++i) {
      // Of the second trial's calls, most.
      const bool is_rewritten = i >= 6;
      runs.push_back(call(9'000, 100'000));
      runs.back().done.empty_around_ns = 4'000;
      runs.back().done.around_ns = 4'100 + (is_rewritten ? beyond_ns : 0);
    }
    bench::Measurement m;
    m.clock = clock;
    m.on_cuda = true;
    m.plan = {2, 1, 4, false};
    bench::sort_into_trials(runs, false, m);
    CHECK_FALSE(bench::rewrites_all_trials(m));  // not the first one
    return bench::rewritten_events(m);
  };
  CHECK_FALSE(problem(2'000));
  CHECK(
      problem(2'200) ==
      "the clocks disagree: 0.0090 ms a call by events, whose times a kernel can rewrite, and 0.0023 ms more "
      "by the clock of the host");
  CHECK_FALSE(problem(20'000, Clock::kEventSegments));
}

TEST_CASE("where the host's clock has seen nothing beside the events it says nothing of them") {
  bench::Measurement m;
  m.trials_ms = {{1}};
  CHECK_FALSE(bench::beyond_events_ms(m));
  m.beyond_events_ms = {{}, {}};
  CHECK_FALSE(bench::rewritten_events(m));
  CHECK_FALSE(bench::rewrites_all_trials(m));
  m.beyond_events_ms = {{0.001, -0.003, -0.002}, {-0.004}};
  CHECK(bench::beyond_events_ms(m) == Approx(-0.002));
  m.beyond_events_ms = {{0.03}, {}, {0.04}};
  CHECK(bench::rewrites_all_trials(m));
  m.beyond_events_ms = {{0.03}};  // one trial alone
  CHECK_FALSE(bench::rewrites_all_trials(m));
  m.beyond_events_ms = {{0.03}, {0.021}};
  CHECK(bench::rewritten_events(m));
  CHECK_FALSE(bench::rewrites_all_trials(m));
}

TEST_CASE("what a call took without waiting for a CPU is what it took while others had them all") {
  Ran ran = call(1e6, 9'000'000, 5'000'000);
  ran.own_waited_ns = 1'000'000;
  ran.beside.prepare_ns = 2'000'000;
  ran.beside.prepare_waited_ns = 1'000'000;
  ran.beside.collect_ns = 1'000'000;
  ran.beside.collect_waited_ns = 500'000;
  ran.beside.open_ns = 3'000'000;
  ran.beside.open_waited_ns = 2'500'000;
  CHECK(bench::wall_ms(ran) == Approx(15));
  CHECK(bench::wall_without_waiting_ms(ran) == Approx(5));
  Ran lost = ran;
  lost.lost_processes = true;
  CHECK(bench::wall_without_waiting_ms(lost) == Approx(15));
  // As far as the worker's own threads did not have them.
  ran.others_cpu_ns = 4'000'000;
  CHECK(bench::wall_without_waiting_ms(ran) == Approx(9));
  ran.beside.exact_others_ns = 30'000'000;
  CHECK(bench::wall_without_waiting_ms(ran) == Approx(15));
}
