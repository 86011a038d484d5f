#include "bench/counted_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

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
constexpr double kSlackMs = 0.003;
constexpr double kShareOfOwn = 0.04;
constexpr double kShareOfClaim = 0.1;
// A call's claim counts up to so much of the usual one: a latency is a median, so that one long call in some
// costs nothing there, and shall not pay for work that the others hide.
constexpr double kMostOfUsual = 2;
// How much longer counted calls may take than those that are timed. While the counters are waited for the
// device may go to a lower clock, and calls below 75 % of the highest one do not count elsewhere
// (clocks.cpp).
constexpr double kMostOfLatency = 1.35;
constexpr double kMostBeyondLatencyMs = 0.002;
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

// What a trial's call takes beside its claim by the coordinator's clock, the median.
double usual_beside_claim_ms(const Measurement& m) {
  const double added = m.added_ms.empty() ? 0 : eval::mean(m.added_ms);  // which the trials hold now
  return std::max(0.0, eval::median(m.envelopes_ms) - eval::median(joined(m.trials_ms)) + added);
}

// For how long a call kept multiprocessors at work that held its streams back until the host had queued it:
// one for each stream. The worker says how long and on how many; but it was no longer than the coordinator
// saw of this call, and not much longer than it was in the trials, where what is not believed is added.
double spin_ms(const worker::CallTimes& call, const Measurement& m, std::uint32_t multiprocessors) {
  constexpr std::uint64_t kMostStreams = 4;
  constexpr double kMostSpinMs = 5;    // of each segment (device/cuda/segment_timer.cpp)
  constexpr double kMostSegments = 7;  // that are held back apart (device/cuda/segment_recorder.h)
  constexpr double kMostOfUsualHost = 1.5;
  const auto& done = call.done;
  const double beside_claim = std::max(0.0, util::in_ms(call.envelope_ns) - util::in_ms(done.elapsed_ns));
  const double segments = std::clamp(static_cast<double>(done.segments), 1.0, kMostSegments);
  const double host = std::min({util::in_ms(done.host_ns), beside_claim, kMostSpinMs * segments,
                                kMostOfUsualHost * usual_beside_claim_ms(m)});
  const auto streams = static_cast<double>(std::clamp<std::uint64_t>(m.streams, 1, kMostStreams));
  return host * streams / std::max(1U, multiprocessors);
}

// How many calls are counted: as many as take no longer than that, by the coordinator's clock.
std::uint64_t calls_within(double ms, const Measurement& m) {
  const double call_ms = std::max(eval::median(m.envelopes_ms), 1e-3);
  return static_cast<std::uint64_t>(std::min(ms / call_ms, kWantedCalls));
}

CountedWork counted_calls(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls,
                          worker::Clock clock, const Measurement& m) {
  CountedWork counted;
  const std::uint64_t wanted = std::min(calls_within(kMostCountingMs, m), expected.most_at_once());
  if (is_by_cupti(clock)) {
    counted.missing = "calls by CUPTI's clocks are not counted: they may lack records";
  } else if (wanted < kFewestCalls) {
    counted.missing = "the calls are so long, or their outputs so large, that too few could be counted";
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
  counted.own_ms = known.at(returns);
  std::vector<worker::CallTimes> made;
  while (made.size() < wanted) made.push_back(calls.make(clock));
  const auto seen = parts.judge.end_count();
  const auto count = static_cast<double>(made.size());
  counted.busy_ms = util::in_ms(seen.busy_ns) / count;
  for (const auto& call : made) {
    counted.claims_ms.push_back(util::in_ms(call.done.elapsed_ns));
    counted.spin_ms += spin_ms(call, m, seen.multiprocessors) / count;
  }
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

double slack_ms(const CountedWork& counted, double claim_ms) {
  return kSlackMs + kShareOfOwn * counted.own_ms + kShareOfClaim * claim_ms;
}

// Whether all work together was less than fib's own seemed to be.
bool seems_too_much(const CountedWork& counted) {
  return !counted.claims_ms.empty() && counted.busy_ms < counted.own_ms - slack_ms(counted, 0);
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

void count_work(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls, worker::Clock clock,
                Measurement& m) {
  if (!parts.is_counted || !parts.device.is_cuda() || !parts.has_host_code()) return;
  const double latency = latency_of(m);
  for (int attempt = 1;; ++attempt) {
    m.counted = counted_calls(parts, expected, calls, clock, m);
    const auto problem = uncounted_work(*m.counted, latency);
    if (!problem && !seems_too_much(*m.counted)) return;
    if (problem) expect_no_other_work(parts);
    if (problem && attempt == kMostCounts)
      throw Failed{model::Status::RUNTIME_ERROR, *problem, {model::ErrorCode::clocks_disagree}};
    // Others may have had work for the device when fib's own was counted.
    parts.workload.own_work_ms.clear();
    if (attempt == kMostCounts) return;
  }
}

double claimed_ms(const CountedWork& counted) {
  const double most = kMostOfUsual * eval::median(counted.claims_ms);
  double sum = 0;
  for (const double claim : counted.claims_ms) sum += std::min(claim, most);
  return sum / static_cast<double>(counted.claims_ms.size());
}

std::optional<std::string> uncounted_work(const CountedWork& counted, double latency_ms) {
  if (counted.claims_ms.empty()) return std::nullopt;
  const double claim = claimed_ms(counted);
  const double work = counted.busy_ms - counted.own_ms - counted.spin_ms;
  const double beyond = work - claim;
  if (beyond > slack_ms(counted, claim))
    return fmt::format(
        "the device's own counters saw its multiprocessors at work for {:.4f} ms a call beside fib's own "
        "work, and the calls claim {:.4f} ms",
        work, claim);
  if (claim > kMostOfLatency * latency_ms + kMostBeyondLatencyMs)
    return fmt::format("calls take {:.4f} ms while the device's own counters are read, and {:.4f} ms before",
                       claim, latency_ms);
  return std::nullopt;
}

}  // namespace fib::bench
