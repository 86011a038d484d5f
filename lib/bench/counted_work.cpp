#include "bench/counted_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bench/claims.h"
#include "bench/idle_device.h"
#include "eval/statistics.h"
#include "util/clock.h"
#include "util/hash.h"

namespace fib::bench {
namespace {

// As many calls are counted, where they do not take too long together, or fewer. Of calls that are longer
// than that allows the coordinator's clock tells enough.
constexpr double kWantedCalls = 24;
constexpr std::uint64_t kFewestCalls = 3;
constexpr double kMostCountingMs = 400;
constexpr std::uint32_t kCallsOfOwnWork = 24;
// What may be at work beyond claims and fib's own work (docs/measuring.md says what was seen).
constexpr double kSlackMs = 0.002;
constexpr double kShareOfOwn = 0.04;
constexpr double kShareOfClaim = 0.1;
// Limits of claimed_ms().
constexpr double kMostOfMedian = 2;
constexpr double kMostMeanOfMedian = 1.25;
// How much longer a counted call may take than a timed one by the coordinator's clock. It is shorter unless
// the machine is busy: nothing is copied, and nothing waits for a queue.
constexpr double kMostOfWall = 3;
constexpr double kMostBeyondWallMs = 0.2;
// How often it is counted before that is called a lie.
constexpr int kMostCounts = 3;

std::string order_of(std::string_view secret, const model::Workload& workload) {
  return util::Sha256().add("counted").add(secret).add(workload.uuid).hex();
}

bool returns_outputs(const EvaluationParts& parts) {
  return !parts.planned.solution->spec.destination_passing_style();
}

// What fib itself has the device do around a call, in milliseconds. Nothing where there are no counters, and
// `missing` says why.
std::optional<double> own_ms(const EvaluationParts& parts, std::uint32_t door, std::string& missing) {
  const Stopped stopped(parts.worker);
  if (!becomes_idle(parts.judge, kLooksForIdle)) throw busy_device();
  auto own = parts.judge.count_own_work({door, kCallsOfOwnWork, returns_outputs(parts)});
  if (!becomes_idle(parts.judge, kLooksForIdle)) throw busy_device();
  missing = std::move(own.problem);
  // Counters that come later than an H200's would see something else.
  if (missing.empty() && own.busy_ns <= 0)
    missing = "the device's counters have not seen the work that fib itself gave it";
  return missing.empty() ? std::optional(util::in_ms(own.busy_ns) / kCallsOfOwnWork) : std::nullopt;
}

// How many calls are counted: as many as take no longer than that, by the coordinator's clock.
std::uint64_t calls_within(double ms, const Measurement& m) {
  const double call_ms = std::max(eval::median(m.envelopes_ms), 1e-3);
  return static_cast<std::uint64_t>(std::min(ms / call_ms, kWantedCalls));
}

NoVerdict full_device() {
  return {model::Fault::machine,
          "the device has no memory left for the buffers in which calls are counted: the solution keeps it, "
          "or other processes do"};
}

CountedWork counted_calls(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls,
                          const Measurement& m) {
  CountedWork counted;
  const std::uint64_t wanted = std::min(calls_within(kMostCountingMs, m), expected.most_at_once());
  if (wanted < kFewestCalls) {
    counted.missing = "the calls are so long, or their outputs so large, that too few could be counted";
  } else if (!calls.has_private()) {
    counted.missing = parts.judge.begin_count();
    if (counted.missing.empty()) throw full_device();
  }
  if (!counted.missing.empty()) return counted;
  expected.make(calls.sets(), wanted);
  auto& known = parts.workload.own_work_ms;
  const bool returns = returns_outputs(parts);
  if (known.contains(returns)) {
    counted.missing = parts.judge.begin_count();
  } else if (const auto own = own_ms(parts, calls.door(), counted.missing)) {
    known[returns] = *own;  // its end is the begin of the next count
  }
  if (!counted.missing.empty()) return counted;
  std::vector<double> walls;
  for (; counted.calls < wanted; ++counted.calls)
    walls.push_back(wall_ms(calls.make(worker::Clock::kCounters)));
  counted.busy_ms = util::in_ms(parts.judge.end_count().busy_ns) / static_cast<double>(counted.calls);
  counted.own_ms = known.at(returns);
  counted.claimed_ms = claimed_ms(m.trials_ms);
  counted.wall_ms = eval::median(std::move(walls));
  return counted;
}

// Work of others on the device was counted as the solution's: while that is stopped there is none. The count
// that began with the last one's end is used. Throws NoVerdict.
void expect_no_other_work(const EvaluationParts& parts) {
  constexpr double kMostOthersNs = 100'000;  // in 0.1 s at least
  const Stopped stopped(parts.worker);
  if (!becomes_idle(parts.judge, kLooksForIdle)) throw busy_device();
  if (parts.judge.end_count().busy_ns > kMostOthersNs) throw busy_device();
}

double slack_ms(const CountedWork& counted) {
  return kSlackMs + kShareOfOwn * counted.own_ms + kShareOfClaim * counted.claimed_ms;
}

// Whether all work together was less than fib's own seemed to be.
bool seems_too_much(const CountedWork& counted) {
  return counted.calls > 0 && counted.busy_ms < counted.own_ms - slack_ms(counted);
}

// What three counts come to that found something: `problem`, or that fib's own work seemed too much.
[[noreturn]] void refuse(const Measurement& m, const std::optional<std::string>& problem,
                         double usual_wall_ms) {
  if (!problem)
    throw NoVerdict(model::Fault::machine,
                    "the work that fib itself gives the device cannot be told by the device's counters: all "
                    "calls together took less; run again");
  CountedWork without_limits = *m.counted;
  without_limits.claimed_ms = eval::mean(joined(m.trials_ms));
  if (!uncounted_work(without_limits, usual_wall_ms))
    throw NoVerdict(
        model::Fault::solution,
        fmt::format("the calls vary too much to be held against the device's own counters (the mean is "
                    "{:.4f} ms, and {:.4f} ms with limits on long ones); --no-count-work does without",
                    without_limits.claimed_ms, m.counted->claimed_ms));
  throw Failed{model::Status::RUNTIME_ERROR, *problem, {model::ErrorCode::clocks_disagree}};
}

}  // namespace

CountedEvaluations::CountedEvaluations(const std::vector<PlannedEvaluation>& planned,
                                       std::string_view secret) {
  std::map<std::pair<const model::Solution*, std::size_t>, std::pair<std::string, const model::Workload*>>
      first;
  for (const auto& one : planned) {
    std::pair candidate(order_of(secret, *one.workload), one.workload);
    const auto [known, is_new] = first.try_emplace({one.solution, one.point}, candidate);
    if (!is_new && candidate.first < known->second.first) known->second = std::move(candidate);
  }
  for (const auto& [solution, workload] : first)
    chosen_.emplace(solution.first, workload.second, solution.second);
}

void count_work(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls, Measurement& m) {
  if (!parts.is_counted || !parts.device.is_cuda() || !parts.has_host_code()) return;
  const double usual_wall_ms = eval::median(m.walls_ms);
  for (int attempt = 1;; ++attempt) {
    m.counted = counted_calls(parts, expected, calls, m);
    const auto problem = uncounted_work(*m.counted, usual_wall_ms);
    if (!problem && !seems_too_much(*m.counted)) return;
    expect_no_other_work(parts);
    if (attempt == kMostCounts) refuse(m, problem, usual_wall_ms);
    // Others may have had work for the device when fib's own was counted.
    parts.workload.own_work_ms.clear();
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
  const double work = counted.busy_ms - counted.own_ms;
  if (work - counted.claimed_ms > slack_ms(counted))
    return fmt::format(
        "the device's own counters saw its multiprocessors at work for {:.4f} ms a call beside fib's own "
        "work, and the calls claim {:.4f} ms",
        work, counted.claimed_ms);
  if (counted.wall_ms > kMostOfWall * wall_ms + kMostBeyondWallMs)
    return fmt::format(
        "calls take {:.4f} ms by fib's own clock while the device's own counters are read, and {:.4f} ms "
        "before",
        counted.wall_ms, wall_ms);
  return std::nullopt;
}

}  // namespace fib::bench
