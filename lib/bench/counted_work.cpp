#include "bench/counted_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "bench/claims.h"
#include "bench/idle_device.h"
#include "eval/evaluator.h"
#include "eval/statistics.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

// As many calls are counted, where they do not take too long together and their buffers not too much of the
// device, or fewer. Of calls that are longer than that allows the coordinator's clock tells enough.
constexpr double kWantedCalls = 48;
constexpr std::uint64_t kFewestCalls = 3;
constexpr double kMostCountingMs = 400;
constexpr std::uint64_t kMostBytes = std::uint64_t{12} << 30U;
// What may be at work beyond claims and fib's own work (docs/measuring.md says what was seen).
constexpr double kSlackMs = 0.001;
constexpr double kShareOfOwn = 0.04;
constexpr double kShareOfClaim = 0.1;
// The same for the engine: it comes to the solution's process once in a count, and is at work for a while
// longer for each kernel, copy or set that the host queues when those before have ended. Claims have no such
// gaps; a part of them is no shorter than this.
constexpr double kComingMs = 0.3;
constexpr double kGapMs = 0.0015;
constexpr double kShortestPartMs = 0.0006;
// What goes over the bus to the host, or comes from it, beyond what takes as long as is claimed on the
// fastest bus (PCI Express 6.0, 16 lanes): messages of fib's, arguments of kernels, results that the host
// waits for.
constexpr double kMostBusBytes = 65'536;
constexpr double kBusBytesPerMs = 128e6;
// A count tells of other workloads where it saw that many times what it leaves open.
constexpr double kTelling = 1.5;
// What counters that work see at least.
constexpr double kLeastShareOfClaim = 0.1;
// Limits of claimed_ms().
constexpr double kMostOfMedian = 2;
constexpr double kMostMeanOfMedian = 1.25;
// How much longer a counted call may take than a timed one by the coordinator's clock. Nothing is copied, and
// nothing waits for a queue, but the workload is opened.
constexpr double kMostOfWall = 3;
constexpr double kMostBeyondWallMs = 2.2;
// How often it is counted before that is called a lie.
constexpr int kMostCounts = 3;

bool returns_outputs(const EvaluationParts& parts) {
  return !parts.planned.solution->spec.destination_passing_style();
}

// What usual calls take: those that are the fastest, since a solution could make the others long.
double usual_ms(const std::vector<double>& calls_ms) { return eval::quantile(calls_ms, 0.25); }

// How many calls are counted: as many as take no longer than that, by the coordinator's clock.
std::uint64_t calls_within(double ms, const Measurement& m) {
  const double call_ms = std::max(usual_ms(m.envelopes_ms), 1e-3);
  return static_cast<std::uint64_t>(std::min(ms / call_ms, kWantedCalls));
}

std::uint64_t calls_in_memory(const eval::Layout& layout) {
  constexpr std::uint64_t kBuffers = 3;  // shared and private ones; inputs that files hold, or judged outputs
  const std::uint64_t bytes = kBuffers * (layout.input_stride() + layout.output_stride());
  return kMostBytes / std::max<std::uint64_t>(1, bytes);
}

// Of a reference that is slow, too, which has to make what is expected.
std::uint64_t calls_in_budget(const EvaluationParts& parts, const ExpectedOutputs& expected) {
  const auto reference_ms = expected.reference_ms();
  if (reference_ms.empty()) return static_cast<std::uint64_t>(kWantedCalls);
  const double calls = 1e3 * parts.config.call_budget_s / std::max(eval::median(reference_ms), 1e-3);
  return static_cast<std::uint64_t>(std::clamp(calls, static_cast<double>(kFewestCalls), kWantedCalls));
}

NoVerdict full_device() {
  return {model::Fault::machine,
          "the device has no memory left for the buffers in which calls are counted: the solution keeps it, "
          "or other processes do"};
}

// One for each call. Where there is not room for all, a quarter of what there is room for is left to the
// solution.
using Doors = std::deque<worker::AttachedDoor>;

Doors attach(const EvaluationParts& parts, const Calls& calls, std::uint64_t wanted) {
  Doors doors;
  while (calls.has_private() && doors.size() < wanted) {
    doors.emplace_back(parts.judge, calls.door_request());
    if (doors.back().fds().has_private) continue;
    doors.pop_back();
    const std::size_t kept = std::max<std::size_t>(kFewestCalls, doors.size() - doors.size() / 4);
    while (doors.size() > kept) doors.pop_back();
    break;
  }
  return doors;
}

// Work of others on the device was counted as the solution's: while that is stopped, as it is now, there is
// none. The count that began with the last one's end is used. Throws NoVerdict.
void expect_no_other_work(const EvaluationParts& parts) {
  constexpr double kMostOthersNs = 100'000;  // in 0.1 s at least
  constexpr double kMostOthersBytes = 1 << 20;
  const auto seen = parts.judge.end_count();
  if (std::max(seen.busy_ns, seen.engine_ns) > kMostOthersNs || seen.bus_bytes > kMostOthersBytes)
    throw busy_device();
}

// Fills all buffers before the first call, and judges after the last: nothing but the calls is counted.
// Returns what is wrong with them.
std::optional<std::string> count_calls(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls,
                                       const Doors& doors, double usual_wall_ms, CountedWork& counted) {
  const std::size_t count = doors.size();
  expected.make(calls.sets(), count);
  std::vector<worker::SetId> sets;
  {
    const Stopped stopped(parts.worker);
    if (!becomes_idle(parts.judge, kLooksForIdle)) throw busy_device();
    if (returns_outputs(parts)) {
      // The least that was ever seen: a solution could make copies slow.
      auto& copies_ms = parts.workload.copies_ms;
      const double now_ms = util::in_ms(parts.judge.time_copies(doors.front().number()));
      copies_ms = std::min(now_ms, copies_ms.value_or(now_ms));
      counted.own_ms = *copies_ms;
    }
    for (const auto& door : doors) sets.push_back(calls.fill(door, calls.sets() + sets.size()));
    if (const auto problem = parts.judge.begin_count(); !problem.empty())
      throw NoVerdict(model::Fault::machine, problem);
  }
  std::vector<UnjudgedCall> made;
  std::vector<double> walls;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(calls.make_at(doors[i], sets[i]));
    walls.push_back(made.back().wall_ms);
  }
  const Stopped stopped(parts.worker);
  const auto seen = parts.judge.end_count();
  counted.calls = count;
  const auto number = static_cast<double>(counted.calls);
  counted.busy_ms = util::in_ms(seen.busy_ns) / number;
  counted.engine_ms = util::in_ms(seen.engine_ns) / number;
  counted.bus_bytes = seen.bus_bytes / number;
  counted.wall_ms = eval::median(std::move(walls));
  auto problem = uncounted_work(counted, usual_wall_ms);
  if (problem) expect_no_other_work(parts);
  for (std::size_t i = 0; i < count; ++i) calls.judge_at(doors[i], made[i]);
  if (!problem && counted.engine_ms - counted.own_ms < kLeastShareOfClaim * counted.claimed_ms)
    counted.missing = "the device's counters have seen next to nothing of the calls";
  return problem;
}

double slack_ms(const CountedWork& counted) {
  return kSlackMs + kShareOfOwn * counted.own_ms + kShareOfClaim * counted.claimed_ms;
}

// What the engine may be at work for besides.
double engine_slack_ms(const CountedWork& counted) {
  const double most_parts = counted.claimed_ms / kShortestPartMs;
  const double parts =
      counted.parts == 0 ? most_parts : std::min(static_cast<double>(counted.parts), most_parts);
  return slack_ms(counted) + kComingMs / static_cast<double>(counted.calls) + kGapMs * parts;
}

// What three counts come to that found something. Work may differ from call to call so much that the median
// tells little of it: where the mean of the claims covers it, without limits on long ones, that is the
// latency. Throws Failed for all else.
void settle(const std::string& problem, double usual_wall_ms, Measurement& m) {
  CountedWork without_limits = *m.counted;
  without_limits.claimed_ms = eval::mean(joined(m.trials_ms));
  if (uncounted_work(without_limits, usual_wall_ms))
    throw Failed{model::Status::RUNTIME_ERROR, problem, {model::ErrorCode::clocks_disagree}};
  m.counted = without_limits;
  m.latency_is_mean = true;
  m.note += fmt::format(
      "the calls differ so much that their median, {:.4g} ms, says too little: the device's own counters saw "
      "it at work for what their mean claims, {:.4g} ms, which is the latency\n",
      eval::median(joined(m.trials_ms)), without_limits.claimed_ms);
}

// Until a count finds nothing wrong, three times at most. Throws Failed and NoVerdict.
void make_counts(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls, std::uint64_t wanted,
                 Measurement& m) {
  CountedWork blank;
  blank.claimed_ms = claimed_ms(m.trials_ms);
  blank.parts = m.kernels + m.copies;
  if (blank.parts > 0 && returns_outputs(parts)) blank.parts += parts.layout().outputs.size();
  const double usual_wall_ms = usual_ms(m.walls_ms);
  for (int attempt = 1;; ++attempt) {
    // New ones each time: the solution still reaches those of the time before.
    const auto doors = attach(parts, calls, wanted);
    // Of too few the counters would tell too little.
    if (doors.size() < std::max(kFewestCalls, wanted / 2)) throw full_device();
    m.counted = blank;
    const auto problem = count_calls(parts, expected, calls, doors, usual_wall_ms, *m.counted);
    m.counted->tells = m.counted->engine_ms - m.counted->own_ms > kTelling * engine_slack_ms(*m.counted);
    if (!problem) return;
    if (attempt == kMostCounts) return settle(*problem, usual_wall_ms, m);
  }
}

}  // namespace

void want_count(const EvaluationParts& parts, const ExpectedOutputs& expected, const Calls& calls,
                Measurement& m) {
  if (!parts.counts_work || !parts.device.is_cuda() || !parts.has_host_code()) return;
  CountedWork none;
  none.missing = parts.judge.counter_problem();
  if (parts.config.flush == worker::Flush::kNone)
    none.missing = "calls are counted with caches flushed (--flush none)";
  const std::uint64_t wanted = std::min({calls_within(kMostCountingMs, m), expected.most_of_count(),
                                         calls_in_memory(parts.layout()), calls_in_budget(parts, expected)});
  if (none.missing.empty() && wanted < kFewestCalls)
    none.missing = "the calls are so long, or their buffers so large, that too few could be counted";
  if (none.missing.empty()) {
    m.count_wanted = {wanted, calls.sets(), calls.made()};
  } else {
    m.counted = std::move(none);
  }
}

void count_work(const EvaluationParts& parts, Measurement& m) {
  const CountWanted wanted = *std::exchange(m.count_wanted, std::nullopt);
  parts.await_quiet();
  ExpectedOutputs expected(parts);
  expected.begin_at(wanted.first_set);
  Calls calls(parts, expected, wanted.first_call, wanted.first_set);
  try {
    make_counts(parts, expected, calls, wanted.calls, m);
    if (const auto whole = calls.conclude().judgement; !whole.correct)
      throw Failed{model::Status::INCORRECT_NUMERICAL,
                   "all counted calls: " + whole.explanation,
                   {eval::error_code_of(parts.planned.rule)}};
  } catch (const Failed& failed) {
    m.status = failed.status;
    m.note += failed.note + '\n';
    m.failure = failed.facts;
  }
  if (!m.inputs_fixed) m.sets += calls.sets() - wanted.first_set;
  const auto& correctness = calls.correctness();
  m.max_absolute_error = eval::worse(correctness.max_absolute_error, m.max_absolute_error);
  m.max_relative_error = eval::worse(correctness.max_relative_error, m.max_relative_error);
  m.matched_ratio = std::min(correctness.matched_ratio, m.matched_ratio);
  m.inputs_changed += correctness.inputs_changed;
  if (correctness.inputs_changed > 0)
    m.note +=
        fmt::format("the solution changed its inputs in {} counted calls\n", correctness.inputs_changed);
  m.output += parts.worker.take_output();
}

double claimed_ms(const std::vector<std::vector<double>>& trials_ms) {
  auto claims = joined(trials_ms);
  const double median = eval::median(claims);
  for (double& claim : claims) claim = std::min(claim, kMostOfMedian * median);
  return std::min(eval::mean(claims), kMostMeanOfMedian * median);
}

std::optional<std::string> uncounted_work(const CountedWork& counted, double wall_ms) {
  if (counted.calls == 0) return std::nullopt;
  const auto is_beyond = [&](double seen_ms, double slack_ms) {
    return seen_ms - counted.own_ms - counted.claimed_ms > slack_ms;
  };
  const auto sentence = [&](std::string_view what, double seen_ms) {
    return fmt::format(
        "the device's own counters saw its {} at work for {:.4f} ms a call, and the calls claim {:.4f} ms",
        what, seen_ms - counted.own_ms, counted.claimed_ms);
  };
  if (is_beyond(counted.busy_ms, slack_ms(counted))) return sentence("multiprocessors", counted.busy_ms);
  if (is_beyond(counted.engine_ms, engine_slack_ms(counted)))
    return sentence("engine for kernels", counted.engine_ms);
  if (counted.bus_bytes > kMostBusBytes + kBusBytesPerMs * counted.claimed_ms)
    return fmt::format(
        "the device exchanged {:.0f} bytes a call with the host, and the {:.4f} ms that the calls claim are "
        "too short for that",
        counted.bus_bytes, counted.claimed_ms);
  if (counted.wall_ms > kMostOfWall * wall_ms + kMostBeyondWallMs)
    return fmt::format(
        "calls take {:.4f} ms by fib's own clock while the device's own counters are read, and {:.4f} ms "
        "before",
        counted.wall_ms, wall_ms);
  return std::nullopt;
}

}  // namespace fib::bench
