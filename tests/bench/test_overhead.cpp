#include <catch2/catch.hpp>

#include "bench/overhead.h"
#include "util/machine.h"

namespace bench = fib::bench;
namespace util = fib::util;
using Ran = fib::worker::CallTimes;

namespace {

// A call of a millisecond, with this much around it, in microseconds. `cpu_us`: of the main thread, beside
// the run.
Ran call(std::int64_t gap_us, std::int64_t prepare_us, std::int64_t collect_us, std::int64_t cpu_us) {
  Ran ran;
  ran.done.elapsed_ns = 1e6;
  ran.envelope_ns = 1'000'000 + 1000 * gap_us;
  ran.beside.prepare_ns = 1000 * prepare_us;
  ran.beside.collect_ns = 1000 * collect_us;
  ran.beside.main_cpu_ns = 1'000'000 + 1000 * cpu_us;
  return ran;
}

bench::Overhead usual() {
  return *bench::overhead_of({call(20, 100, 50, 150), call(20, 100, 50, 150), call(5000, 9000, 9000, 9000)});
}

double unclaimed(const Ran& ran, bool may_fork = false) {
  return bench::unclaimed_ms(ran, usual(), may_fork);
}

}  // namespace

TEST_CASE("the overhead is what the reference's worker takes in the median") {
  CHECK_FALSE(bench::overhead_of({}));
  const auto overhead = usual();
  CHECK(overhead.gap_ms == Approx(0.02));
  CHECK(overhead.prepare_ms == Approx(0.1));
  CHECK(overhead.collect_ms == Approx(0.05));
  CHECK(overhead.cpu_ms == Approx(0.15));
  CHECK(overhead.slack_ms == Approx(0.04 + 0.1 * 0.15));  // most calls take no more
}

TEST_CASE("copying takes the CPU also where the reference's own work is done by other threads") {
  // Its main thread waits for them in the run: all that it uses is less than the call lasts.
  const auto overhead = *bench::overhead_of({call(20, 100, 50, -700), call(20, 100, 50, -700)});
  CHECK(overhead.cpu_ms == Approx(0.15));
  CHECK(bench::unclaimed_ms(call(20, 100, 50, 150), overhead, false) == Approx(0).margin(1e-9));
}

TEST_CASE("where the reference's calls spread, a solution's may") {
  std::vector<Ran> calls;
  for (int i = 0; i < 11; ++i) calls.push_back(call(20 + 40 * i, 100, 50, 150));
  CHECK(bench::overhead_of(calls)->slack_ms == Approx(0.04 + 0.1 * 0.15));
  for (int i = 0; i < 11; ++i) calls.push_back(call(20 + 40 * i, 100, 50, 150 + 40 * (10 - i)));
  CHECK(bench::overhead_of(calls)->slack_ms > 0.1);
}

TEST_CASE("a call that takes no more than usual leaves nothing out, and less in one step pays for no other") {
  CHECK(unclaimed(call(20, 100, 50, 150)) == Approx(0).margin(1e-9));
  CHECK(unclaimed(call(0, 0, 0, -900)) == Approx(0).margin(1e-9));
  CHECK(unclaimed(call(520, 0, 0, 0)) == Approx(0.5));
}

TEST_CASE("what is done before, in or after the run without being claimed is left out") {
  CHECK(unclaimed(call(350, 100, 50, 480)) == Approx(0.33));
  CHECK(unclaimed(call(20, 600, 50, 650)) == Approx(0.5));
  CHECK(unclaimed(call(20, 100, 550, 650)) == Approx(0.5));
  // Before Prepare has come, beyond the time in which a worker looks for its next request.
  CHECK(unclaimed(call(20, 100, 50, 650)) == Approx(0.5));
  const bench::Overhead soon{.cpu_ms = 0.03};
  CHECK(bench::unclaimed_ms(call(0, 0, 0, 130), soon, false) == Approx(0).margin(1e-9));
  CHECK(bench::unclaimed_ms(call(0, 0, 0, 230), soon, false) == Approx(0.1));
  // After the answer to Collect, which no looking for a request explains.
  Ran after = call(20, 100, 50, 200);
  after.beside.rest_ns = 120'000;
  CHECK(unclaimed(after) == Approx(0.12));
  CHECK(unclaimed(after, true) == Approx(0.12));
  Ran waited = call(20, 100, 50, 150);
  waited.beside.rest_ns = 120'000;
  waited.beside.rest_waited_ns = 100'000;
  CHECK(unclaimed(waited) == Approx(0.02));
  CHECK(bench::unclaimed_ms(after, *bench::overhead_of({after}), false) == Approx(0).margin(1e-9));
  // By a thread beside the steps.
  Ran helped = call(20, 100, 50, 150);
  helped.beside.others_cpu_ns = 500'000;
  CHECK(unclaimed(helped) == Approx(0.5));
  // By a process, of which nothing is left but the time.
  CHECK(unclaimed(call(20, 600, 50, 150), true) == Approx(0.5));
  CHECK(unclaimed(call(20, 600, 50, 150), false) == Approx(0).margin(1e-9));
}

TEST_CASE("a main thread that rests in the run has no credit for what it does before and after it") {
  // It uses as much of a CPU as the call claims, but in Prepare and Collect.
  Ran early = call(20, 700, 50, 150);
  CHECK(unclaimed(early) == Approx(0).margin(1e-9));
  early.beside.main_before_ns = 700'000;
  CHECK(unclaimed(early) == Approx(0.6));
  early.beside.main_before_ns = 300'000;  // it woke up late, besides
  CHECK(unclaimed(early) == Approx(0.2));
  Ran late = call(20, 100, 450, 150);
  late.beside.main_after_ns = 450'000;
  CHECK(unclaimed(late) == Approx(0.4));
  // The coordinator waited for the CPU on which the main thread worked. After Prepare that looks for the next
  // request, after a run in which others worked it does not.
  late.beside.collect_waited_ns = 440'000;
  late.beside.is_after_exact = true;
  CHECK(unclaimed(late) == Approx(0.4));
  early = call(20, 700, 50, 150);
  early.beside.main_before_ns = 700'000;
  early.beside.prepare_waited_ns = 690'000;
  CHECK(unclaimed(early) == Approx(0.6 - 0.065));
  // It worked between the answer to Run and its rest, or had no CPU there.
  Ran between = call(20, 100, 50, 150);
  between.beside.after_run_ns = 300'000;
  CHECK(unclaimed(between) == Approx(0.3));
  between.beside.after_run_waited_ns = 300'000;
  CHECK(unclaimed(between) == Approx(0).margin(1e-9));
  // An account that was not exact when the run ended has some of the run in it.
  late.beside.is_after_exact = false;
  CHECK(unclaimed(late) == Approx(0).margin(1e-9));
  Ran inexact = call(20, 100, 50, 150);
  inexact.beside.main_after_ns = 1'000'000;
  CHECK(unclaimed(inexact) == Approx(0).margin(1e-9));
}

TEST_CASE("what others used is of the run as far as all CPUs can have done it there") {
  const auto cpus = std::int64_t{util::usable_cores()};
  Ran helped = call(20, 100, 50, 150);
  helped.others_cpu_ns = cpus * 1'000'000;
  CHECK(unclaimed(helped) == Approx(0).margin(1e-9));
  helped.others_cpu_ns = cpus * 1'120'000 + 500'000;
  CHECK(unclaimed(helped) == Approx(0.5));
}

TEST_CASE("waiting for a CPU explains what others used") {
  Ran waited = call(9020, 5100, 50, 150);
  waited.waited_ns = 9'000'000;
  waited.beside.prepare_waited_ns = 5'000'000;
  CHECK(unclaimed(waited, true) == Approx(0).margin(1e-9));
  waited.waited_ns = 0;
  waited.own_waited_ns = 9'000'000;  // of the coordinator
  CHECK(unclaimed(waited, true) == Approx(0).margin(1e-9));
}

TEST_CASE("waiting for a CPU does not explain what the worker did itself") {
  // A thread of its own had the main thread's CPU.
  Ran helped = call(9020, 100, 50, 150);
  helped.waited_ns = 9'000'000;
  helped.others_cpu_ns = 9'000'000;
  CHECK(unclaimed(helped) == Approx(9));
  // The main thread went on working where the coordinator waited for the CPU.
  Ran early = call(3020, 100, 50, 3150);
  early.own_waited_ns = 3'000'000;
  CHECK(unclaimed(early) == Approx(3));
  // Threads that work within the claim are no reason why the coordinator waits afterwards.
  Ran parallel = call(2020, 100, 50, 150);
  parallel.own_waited_ns = 2'000'000;
  parallel.others_cpu_ns = 1'000'000;
  CHECK(unclaimed(parallel) == Approx(0).margin(1e-9));
  // Of processes that came and went nobody knows what they used.
  Ran forked = call(9020, 100, 50, 150);
  forked.waited_ns = 9'000'000;
  forked.lost_processes = true;
  CHECK(unclaimed(forked, true) == Approx(9));
  // Nor before the run and after it.
  Ran before = call(20, 9100, 50, 150);
  before.beside.prepare_waited_ns = 9'000'000;
  CHECK(unclaimed(before, true) == Approx(0).margin(1e-9));
  before.beside.lost_processes = true;
  CHECK(unclaimed(before, true) == Approx(9));
  Ran after = call(20, 100, 9050, 150);
  after.beside.collect_waited_ns = 9'000'000;
  after.beside.rest_ns = after.beside.rest_waited_ns = 1'000'000;
  CHECK(unclaimed(after, true) == Approx(0).margin(1e-9));
  after.beside.lost_processes = true;
  CHECK(unclaimed(after, true) == Approx(10));
}

TEST_CASE("around a call on a GPU, waiting that the worker's own threads explain is none") {
  const bench::Overhead overhead = bench::assumed_overhead(30'000'000);
  CHECK(overhead.prepare_ms == Approx(2));
  CHECK(overhead.collect_ms == Approx(2));
  Ran::Beside beside;
  beside.prepare_ns = 2'000'000;
  beside.collect_ns = 15'000'000;
  CHECK(bench::longer_around_ms(beside, overhead) == Approx(13));
  beside.collect_waited_ns = 13'000'000;
  CHECK(bench::longer_around_ms(beside, overhead) == Approx(0).margin(1e-9));
  beside.others_cpu_ns = 200'000'000;
  CHECK(bench::longer_around_ms(beside, overhead) == Approx(13));
}

TEST_CASE("an interpreter makes its arguments anew for each call") {
  const auto guest = bench::for_guest(usual(), 3);
  CHECK(guest.prepare_ms > usual().prepare_ms + 0.1);
  CHECK(guest.cpu_ms > usual().cpu_ms + 0.1);
  CHECK(guest.collect_ms > usual().collect_ms);
  CHECK(guest.gap_ms == usual().gap_ms);
}
