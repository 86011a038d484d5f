#include "bench/counted_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "bench/claims.h"
#include "bench/idle_device.h"
#include "eval/statistics.h"
#include "util/clock.h"
#include "util/hash.h"

namespace fib::bench {
namespace {

// As many calls are counted, where they do not take too long together and their buffers not too much of the
// device, or fewer. Of calls that are longer than that allows the coordinator's clock tells enough.
constexpr double kWantedCalls = 48;
constexpr std::uint64_t kFewestCalls = 3;
constexpr double kMostCountingMs = 400;
constexpr std::uint64_t kMostBytes = std::uint64_t{12} << 30U;
// What may be at work beyond claims and fib's own work (docs/measuring.md says what was seen).
constexpr double kSlackMs = 0.002;
constexpr double kShareOfOwn = 0.04;
constexpr double kShareOfClaim = 0.1;
// The same for the engine: it comes to the solution's process once in a count, and is at work for a while
// longer for each kernel, copy or set that the host queues when those before have ended. Claims have no such
// gaps; a part of them is no shorter than this.
constexpr double kComingMs = 0.3;
constexpr double kGapMs = 0.0015;
constexpr double kShortestPartMs = 0.0006;
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

std::string order_of(std::string_view secret, const PlannedEvaluation& planned) {
  return util::Sha256()
      .add("counted")
      .add(secret)
      .add(planned.solution->name)
      .add(planned.workload->uuid)
      .hex();
}

bool returns_outputs(const EvaluationParts& parts) {
  return !parts.planned.solution->spec.destination_passing_style();
}

// How many calls are counted: as many as take no longer than that, by the coordinator's clock.
std::uint64_t calls_within(double ms, const Measurement& m) {
  const double call_ms = std::max(eval::median(m.envelopes_ms), 1e-3);
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
  const auto seen = parts.judge.end_count();
  if (std::max(seen.busy_ns, seen.engine_ns) > kMostOthersNs) throw busy_device();
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
    auto& copies_ms = parts.workload.copies_ms;
    if (returns_outputs(parts) && !copies_ms)
      copies_ms = util::in_ms(parts.judge.time_copies(doors.front().number()));
    if (returns_outputs(parts)) counted.own_ms = *copies_ms;
    for (const auto& door : doors) sets.push_back(calls.fill(door, calls.sets() + sets.size()));
    counted.missing = parts.judge.begin_count();
    if (!counted.missing.empty()) return std::nullopt;
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

// What three counts come to that found something.
[[noreturn]] void refuse(const Measurement& m, const std::string& problem, double usual_wall_ms) {
  CountedWork without_limits = *m.counted;
  without_limits.claimed_ms = eval::mean(joined(m.trials_ms));
  if (!uncounted_work(without_limits, usual_wall_ms))
    throw NoVerdict(
        model::Fault::solution,
        fmt::format("the calls vary too much to be held against the device's own counters (the mean is "
                    "{:.4f} ms, and {:.4f} ms with limits on long ones); --no-count-work does without",
                    without_limits.claimed_ms, m.counted->claimed_ms));
  throw Failed{model::Status::RUNTIME_ERROR, problem, {model::ErrorCode::clocks_disagree}};
}

}  // namespace

CountedEvaluations::CountedEvaluations(const std::vector<PlannedEvaluation>& planned,
                                       std::string_view secret) {
  std::map<std::pair<const model::Solution*, std::size_t>, std::pair<std::string, const model::Workload*>>
      first;
  for (const auto& one : planned) {
    std::pair candidate(order_of(secret, one), one.workload);
    const auto [known, is_new] = first.try_emplace({one.solution, one.point}, candidate);
    if (!is_new && candidate.first < known->second.first) known->second = std::move(candidate);
  }
  for (const auto& [solution, workload] : first)
    chosen_.emplace(solution.first, workload.second, solution.second);
}

void count_work(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls, Measurement& m) {
  if (!parts.is_counted || !parts.device.is_cuda() || !parts.has_host_code()) return;
  CountedWork blank;
  blank.missing = parts.judge.counter_problem();
  if (parts.config.flush == worker::Flush::kNone)
    blank.missing = "calls are counted with caches flushed (--flush none)";
  const std::uint64_t wanted = std::min({calls_within(kMostCountingMs, m), expected.most_at_once(),
                                         calls_in_memory(parts.layout()), calls_in_budget(parts, expected)});
  if (blank.missing.empty() && wanted < kFewestCalls)
    blank.missing = "the calls are so long, or their buffers so large, that too few could be counted";
  if (!blank.missing.empty()) {
    m.counted = std::move(blank);
    return;
  }
  blank.claimed_ms = claimed_ms(m.trials_ms);
  blank.parts = m.kernels + m.copies;
  if (blank.parts > 0 && returns_outputs(parts)) blank.parts += parts.layout().outputs.size();
  const double usual_wall_ms = eval::median(m.walls_ms);
  for (int attempt = 1;; ++attempt) {
    // New ones each time: the solution still reaches those of the time before.
    const auto doors = attach(parts, calls, wanted);
    // Of too few the counters would tell too little.
    if (doors.size() < std::max(kFewestCalls, wanted / 2)) throw full_device();
    m.counted = blank;
    const auto problem = count_calls(parts, expected, calls, doors, usual_wall_ms, *m.counted);
    if (!problem) return;
    if (attempt == kMostCounts) refuse(m, *problem, usual_wall_ms);
  }
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
  if (counted.wall_ms > kMostOfWall * wall_ms + kMostBeyondWallMs)
    return fmt::format(
        "calls take {:.4f} ms by fib's own clock while the device's own counters are read, and {:.4f} ms "
        "before",
        counted.wall_ms, wall_ms);
  return std::nullopt;
}

}  // namespace fib::bench
