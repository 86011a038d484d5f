#include "bench/overhead.h"

#include <algorithm>
#include <utility>

#include "eval/statistics.h"
#include "util/clock.h"
#include "util/machine.h"

namespace fib::bench {
namespace {

using util::in_ms;
using Ran = worker::CallTimes;

// No two workers are alike to the microsecond: the steps around a call take longer in caches that other code
// has used.
constexpr double kLeastOverheadSlackMs = 0.04;
// By how much more than the reference's calls those of a solution may spread.
constexpr double kSpread = 2;
// Beside busy processes the same copies took up to a tenth longer for some dozen milliseconds.
constexpr double kCopyShare = 0.1;
// A worker looks for its next request twice in a call, for so long together, before it sleeps
// (worker_loop.cpp), and answers. Where the reference's worker was asked sooner, that the solution's was not
// is no work of the solution.
constexpr double kSpinsMs = 0.13;
// For how long threads are watched after a call before they are taken to rest (clients.cpp).
constexpr double kRestMs = 0.1;
// What an interpreter needs around a call, and for each tensor that it makes.
constexpr double kGuestMs = 0.1;
constexpr double kGuestTensorMs = 0.03;
// With an H200 Prepare took 0.33 ms, the flush in it, and Collect 0.08 ms of a call on 34 MB. A memory of 128
// GB/s, the slowest of GPUs that are in use, would need 1 ms for 64 MB that are read and written.
constexpr double kAssumedMs = 1;
constexpr double kAssumedBytesPerMs = 30e6;

double gap_ms(const Ran& ran) { return in_ms(ran.envelope_ns) - in_ms(ran.done.elapsed_ns); }

// Not more than what a call claims is work inside of the run.
double cpu_beside_ms(const Ran& ran) { return in_ms(ran.beside.main_cpu_ns) - in_ms(ran.done.elapsed_ns); }

// Where the coordinator has to wait for a CPU after its look at the worker's times and before it asks for the
// run, what others do in between is in the run's account. More than all CPUs that the worker may use can do
// in the run was not done there.
double done_before_ms(const Ran& ran) {
  const auto cpus = static_cast<double>(util::usable_cores());
  return std::max(0.0, in_ms(ran.others_cpu_ns) - cpus * (in_ms(ran.envelope_ns) + kRestMs));
}

// By how much a request took longer than usual, and the waiting in it.
double longer(double wall_ms, double waited_ms, double usual_ms) {
  return std::max(0.0, wall_ms - std::max(0.0, waited_ms) - usual_ms);
}

// By how much Prepare and Collect did. Waiting that `own_ms` of the worker's own explain is none.
std::pair<double, double> longer_steps_ms(const Ran::Beside& beside, const Overhead& overhead,
                                          double own_ms) {
  const auto waited = [&](std::int64_t ns) { return beside.lost_processes ? 0 : in_ms(ns) - own_ms; };
  return {longer(in_ms(beside.prepare_ns), waited(beside.prepare_waited_ns), overhead.prepare_ms),
          longer(in_ms(beside.collect_ns), waited(beside.collect_waited_ns), overhead.collect_ms)};
}

// By how much the main thread worked longer than usual before the run, and after it: no longer than Prepare
// and Collect took longer, the waiting in them does not count. But waiting may be the coordinator's, for the
// CPU on which the main thread works: what that is known to have used was used.
double steps_ms(const Ran::Beside& beside, const Overhead& overhead, double prepare_ms, double collect_ms) {
  const double before = in_ms(beside.main_before_ns) - overhead.prepare_ms;
  const double after = in_ms(beside.main_after_ns) - overhead.collect_ms;
  const double known_before = std::max(std::min(prepare_ms, before), before - kSpinsMs / 2);
  const double known_after = beside.is_after_exact ? after : std::min(collect_ms, after);
  return std::max(0.0, known_before) + std::max(0.0, known_after);
}

template <typename Number>
double median_of(const std::vector<Ran>& calls, Number number) {
  std::vector<double> values;
  for (const auto& call : calls) values.push_back(number(call));
  return std::max(0.0, eval::median(values));
}

}  // namespace

std::optional<Overhead> overhead_of(const std::vector<Ran>& calls) {
  if (calls.empty()) return std::nullopt;
  Overhead overhead;
  overhead.gap_ms = median_of(calls, gap_ms);
  overhead.prepare_ms = median_of(calls, [](const Ran& ran) { return in_ms(ran.beside.prepare_ns); });
  overhead.collect_ms = median_of(calls, [](const Ran& ran) { return in_ms(ran.beside.collect_ns); });
  overhead.rest_ms =
      median_of(calls, [](const Ran& ran) { return in_ms(ran.beside.rest_ns - ran.beside.rest_waited_ns); });
  // Where threads do its work, a reference's main thread uses less than its calls last: the difference would
  // say that copying takes nothing.
  overhead.cpu_ms = std::max(median_of(calls, cpu_beside_ms), overhead.prepare_ms + overhead.collect_ms);
  const double spread = median_of(calls, [&](const Ran& ran) { return unclaimed_ms(ran, overhead, false); });
  overhead.slack_ms =
      kLeastOverheadSlackMs + kSpread * spread + kCopyShare * (overhead.prepare_ms + overhead.collect_ms);
  return overhead;
}

Overhead assumed_overhead(std::uint64_t bytes) {
  const double each_ms = kAssumedMs + static_cast<double>(bytes) / kAssumedBytesPerMs;
  Overhead overhead;
  overhead.prepare_ms = each_ms;
  overhead.collect_ms = each_ms;
  return overhead;
}

Overhead for_guest(Overhead overhead, std::size_t tensors) {
  const double more = kGuestMs + kGuestTensorMs * static_cast<double>(tensors);
  overhead.prepare_ms += more;
  overhead.collect_ms += kGuestMs;
  overhead.rest_ms += kGuestMs;
  overhead.cpu_ms += more;
  return overhead;
}

double longer_around_ms(const Ran::Beside& beside, const Overhead& overhead) {
  const auto [prepare, collect] = longer_steps_ms(beside, overhead, in_ms(beside.others_cpu_ns));
  return prepare + collect;
}

double unclaimed_ms(const Ran& ran, const Overhead& overhead, bool may_fork) {
  const auto& beside = ran.beside;
  const double before = done_before_ms(ran);
  const double others = in_ms(beside.others_cpu_ns) + before;
  const double main = std::max(0.0, cpu_beside_ms(ran) - overhead.cpu_ms);
  const double main_work = std::max(0.0, main - std::max(0.0, kSpinsMs - overhead.cpu_ms));
  // Of the waiting, what the worker's own threads explain. That they had the main thread's CPU is likely,
  // that they had the coordinator's less: there only counts what they did beyond the claim.
  const double own = others + main_work;
  const double in_run = in_ms(ran.others_cpu_ns) - before;
  const double waited = std::max(0.0, in_ms(ran.waited_ns) - own - in_run);
  const double own_waited =
      std::max(0.0, in_ms(ran.own_waited_ns) - own - std::max(0.0, in_run - in_ms(ran.done.elapsed_ns)));
  // Of processes that came and went nothing is known.
  const double gap = longer(gap_ms(ran), ran.lost_processes ? 0 : waited + own_waited, overhead.gap_ms);
  const auto [prepare, collect] = longer_steps_ms(beside, overhead, own);
  // After Collect nothing is asked of it: it looks for no request.
  const double rest_waited = beside.lost_processes ? 0 : in_ms(beside.rest_waited_ns) - own;
  const double rest = longer(in_ms(beside.rest_ns), rest_waited, overhead.rest_ms);
  if (may_fork) return std::max(gap + prepare + collect + rest, main_work + others);
  // A main thread that wakes up late takes long and uses no CPU; one that looks for its next request uses the
  // CPU, and answers in time. Work does both, but that of processes of which nothing is known. Where the main
  // thread rests in the run, what it uses in the whole call is no more than the call claims, but what it uses
  // in each step tells.
  const double steps = steps_ms(beside, overhead, prepare, collect);
  // Where others worked in the run it looks for no request after it either.
  const double after_run =
      longer(in_ms(beside.after_run_ns), in_ms(beside.after_run_waited_ns) - own, overhead.rest_ms);
  return std::max(gap + std::max(std::min(prepare + collect, main), steps) + after_run + rest, main_work) +
         others;
}

}  // namespace fib::bench
