#include "bench/counted_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "bench/claims.h"
#include "bench/idle_device.h"
#include "bench/work_limits.h"
#include "eval/evaluator.h"
#include "eval/statistics.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

// As many calls are counted, where they do not take too long together and their buffers not too much of the
// device, or fewer. Of calls that claim more than that allows the coordinator's clock tells enough.
constexpr double kWantedCalls = 48;
constexpr double kMostClaimedMs = 400;
// By the coordinator's clock as many calls as are as fast as the fastest timed one may take that long
// together; where they take longer in fact, no more are made beyond twice that. The fewest may take any time.
constexpr double kMostCountingMs = 5000;
constexpr double kOvertime = 2;
constexpr std::uint64_t kUsualBytes = std::uint64_t{12} << 30U;
// For a few calls at least, of a device that has it, a quarter of its memory.
constexpr std::uint64_t kShareOfMemory = 4;
constexpr std::uint64_t kFewCalls = 8;
// What counters that work see at least.
constexpr double kLeastShareOfClaim = 0.1;
// So many counts that do not agree with the claims end it. One that does after one that did not may have been
// read wrong (once in some 300 counts an H200's counters told of two thirds of the work): those that agree
// have to be more.
constexpr std::size_t kMostProblems = 3;
// So many of them have to have seen more work than is claimed, or there is no verdict.
constexpr std::size_t kFewestFindings = 2;

bool returns_outputs(const EvaluationParts& parts) {
  return !parts.planned.solution->spec.destination_passing_style();
}

// A solution that makes its calls long beside what it claims keeps none from being counted: the fastest says
// what a call takes.
std::uint64_t calls_in_time(const Measurement& m) {
  const auto within = [](double ms, double call_ms) { return ms / std::max(call_ms, 1e-3); };
  const double by_clock =
      within(kMostCountingMs, *std::min_element(m.envelopes_ms.begin(), m.envelopes_ms.end()));
  return static_cast<std::uint64_t>(std::min({within(kMostClaimedMs, claimed_ms(m.trials_ms)), kWantedCalls,
                                              std::max(by_clock, static_cast<double>(kFewestCounted))}));
}

std::uint64_t calls_in_memory(const EvaluationParts& parts) {
  const eval::Layout& layout = parts.layout();
  constexpr std::uint64_t kBuffers = 3;  // shared and private ones; inputs that files hold, or judged outputs
  const std::uint64_t bytes = kBuffers * (layout.input_stride() + layout.output_stride());
  const auto within = [bytes](std::uint64_t most) { return most / std::max<std::uint64_t>(1, bytes); };
  return std::max(within(kUsualBytes),
                  std::min(kFewCalls, within(parts.device.memory_bytes / kShareOfMemory)));
}

// Of a reference that is slow, too, which has to make what is expected.
std::uint64_t calls_in_budget(const EvaluationParts& parts, const ExpectedOutputs& expected) {
  const auto reference_ms = expected.reference_ms();
  if (reference_ms.empty()) return static_cast<std::uint64_t>(kWantedCalls);
  const double calls = 1e3 * parts.config.call_budget_s / std::max(eval::median(reference_ms), 1e-3);
  return static_cast<std::uint64_t>(std::clamp(calls, static_cast<double>(kFewestCounted), kWantedCalls));
}

NoVerdict full_device() {
  return {model::ObstacleCode::full_device,
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
    const std::size_t kept = std::max<std::size_t>(kFewestCounted, doors.size() - doors.size() / 4);
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
                                       const Doors& doors, const UsualCall& usual, CountedWork& counted) {
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
      throw NoVerdict(model::ObstacleCode::machine_error, problem);
  }
  std::vector<UnjudgedCall> made;
  std::vector<double> walls;
  std::vector<double> others;
  const std::int64_t begin_ns = parts.now_ns();
  const auto takes_too_long = [&] {
    return made.size() >= kFewestCounted &&
           util::in_ms(parts.now_ns() - begin_ns) > kOvertime * kMostCountingMs;
  };
  while (made.size() < count && !takes_too_long()) {
    const std::size_t i = made.size();
    made.push_back(calls.make_at(doors[i], sets[i]));
    walls.push_back(made.back().wall_ms);
    others.push_back(usual.others_are_exact ? made.back().others_ms : made.back().lagging_others_ms);
  }
  const Stopped stopped(parts.worker);
  const auto seen = parts.judge.end_count();
  counted.calls = made.size();
  const auto number = static_cast<double>(counted.calls);
  counted.busy_ms = util::in_ms(seen.busy_ns) / number;
  counted.engine_ms = util::in_ms(seen.engine_ns) / number;
  counted.bus_bytes = seen.bus_bytes / number;
  counted.others_ms = eval::median(others);
  counted.long_others_ms = eval::quantile(std::move(others), 0.9);
  counted.long_wall_ms = eval::quantile(std::move(walls), 0.9);
  auto problem = unclaimed_work(counted);
  if (problem) expect_no_other_work(parts);
  for (std::size_t i = 0; i < made.size(); ++i) calls.judge_at(doors[i], made[i]);
  if (!problem && counted.engine_ms - counted.own_ms < kLeastShareOfClaim * counted.claimed_ms)
    counted.missing = "the device's counters have seen next to nothing of the calls";
  return problem;
}

// Whether what was seen may be the gaps between kernels, if there were as many as the claim has time for.
bool may_be_gaps(CountedWork counted) {
  counted.parts = 0;
  return !unclaimed_work(counted);
}

NoVerdict no_records(const std::string& problem) {
  return {
      model::ObstacleCode::unclear_time,
      "CUPTI lost its records of all calls, so that nobody knows of how many kernels a call is made, and " +
          problem};
}

NoVerdict slow_calls(const CountedWork& counted, const UsualCall& usual) {
  return {model::ObstacleCode::unclear_time,
          fmt::format("a tenth of the calls take {:.4f} ms or more by fib's own clock while the device's own "
                      "counters are read, and {:.4f} ms before: the machine is too busy, or the solution "
                      "computes on the host then",
                      counted.long_wall_ms, usual.wall_ms)};
}

NoVerdict busy_threads(const CountedWork& counted, const UsualCall& usual) {
  return {model::ObstacleCode::unclear_work,
          fmt::format(
              "threads of the solution use the CPUs for {:.4f} ms in the median call, and for {:.4f} ms "
              "or more in a tenth of them, while the device's own counters are read, and for {:.4f} ms in "
              "the median call before, so that nobody can tell whether they compute what the device should",
              counted.others_ms, counted.long_others_ms, usual.others_ms)};
}

NoVerdict contradiction() {
  return {
      model::ObstacleCode::unclear_time,
      "the device's counters have seen next to nothing of the calls in one count, and more than they claim "
      "in another"};
}

// A count that saw more work than is claimed.
struct Finding {
  std::string problem;
  CountedWork counted;
};

// The middle one by how long the device was at work, of two the lower: what others did in one of them is not
// taken for the solution's. `findings` is not empty.
Finding middle_of(std::vector<Finding> findings) {
  const auto at_work = [](const Finding& one) { return one.counted.busy_ms + one.counted.engine_ms; };
  const auto middle = findings.begin() + (std::ssize(findings) - 1) / 2;
  std::nth_element(findings.begin(), middle, findings.end(),
                   [&](const Finding& a, const Finding& b) { return at_work(a) < at_work(b); });
  return *middle;
}

// What counts come to that saw more work than is claimed. Work may differ from call to call so much that the
// median tells little of it: where the mean of the claims covers it, without limits on long ones, that is the
// latency. Throws Failed for all else, and NoVerdict where lost records leave it open.
void settle(const std::string& problem, Measurement& m) {
  CountedWork without_limits = *m.counted;
  without_limits.claimed_ms = eval::mean(joined(m.trials_ms));
  if (unclaimed_work(without_limits)) {
    if (m.lost_records && may_be_gaps(without_limits)) throw no_records(problem);
    throw Failed{model::Status::RUNTIME_ERROR, problem, {model::ErrorCode::clocks_disagree}};
  }
  m.counted = without_limits;
  m.latency_is_mean = true;
  m.note += fmt::format(
      "the calls differ so much that their median, {:.4g} ms, says too little: the device's own counters saw "
      "it at work for what their mean claims, {:.4g} ms, which is the latency\n",
      eval::median(joined(m.trials_ms)), without_limits.claimed_ms);
}

// Until the first count agrees with the claims, or more of them do than not, or three do not: then two have
// to have seen more work than is claimed. Throws Failed and NoVerdict.
void make_counts(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls, std::uint64_t wanted,
                 Measurement& m) {
  CountedWork blank;
  blank.claimed_ms = claimed_ms(m.trials_ms);
  blank.parts = m.kernels + m.copies;
  // The process in which CUPTI makes its records can lose them, and those of very many kernels get lost.
  if (m.lost_records) blank.parts = 1;
  if (m.no_witness.empty()) blank.parts = std::max<std::uint64_t>(1, blank.parts);
  if (blank.parts > 0 && returns_outputs(parts)) blank.parts += parts.layout().outputs.size();
  const UsualCall usual{usual_wall_ms(m), parts.facts.is_guest, usual_others_ms(m), usual_beside_ms(m),
                        m.others_are_exact};
  std::vector<Finding> findings;
  std::vector<NoVerdict> unclear;  // why other counts do not agree
  for (std::size_t agreeing = 0;;) {
    // New ones each time: the solution still reaches those of the time before.
    const auto doors = attach(parts, calls, wanted);
    // Of too few the counters would tell too little.
    if (doors.size() < std::max(kFewestCounted, wanted / 2)) throw full_device();
    m.counted = blank;
    const auto problem = count_calls(parts, expected, calls, doors, usual, *m.counted);
    m.counted->tells = tells_of_others(*m.counted);
    const bool is_first = findings.empty() && unclear.empty();
    if (problem) {
      findings.push_back({*problem, *m.counted});
    } else if (is_slow(*m.counted, usual)) {
      // Some calls may be made long, and compute on the host what counters then do not see.
      unclear.push_back(slow_calls(*m.counted, usual));
    } else if (computes_beside(*m.counted, usual)) {
      unclear.push_back(busy_threads(*m.counted, usual));
    } else if (!m.counted->missing.empty() && !is_first) {
      unclear.push_back(contradiction());
    } else {
      ++agreeing;
    }
    const std::size_t problems = findings.size() + unclear.size();
    if (agreeing > problems) return;
    if (problems < kMostProblems) continue;
    if (findings.size() < kFewestFindings) throw unclear.back();
    const Finding middle = middle_of(findings);
    m.counted = middle.counted;
    settle(middle.problem, m);
    // Where the mean is the latency, its calls have as much room.
    const double more_ms = m.counted->claimed_ms - blank.claimed_ms;
    UsualCall settled = usual;
    settled.wall_ms += more_ms;
    if (is_slow(*m.counted, settled)) throw slow_calls(*m.counted, settled);
    if (computes_beside(*m.counted, settled)) throw busy_threads(*m.counted, settled);
    return;
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
  const std::uint64_t wanted = std::min(
      {calls_in_time(m), expected.most_of_count(), calls_in_memory(parts), calls_in_budget(parts, expected)});
  if (none.missing.empty() && wanted < kFewestCounted)
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

}  // namespace fib::bench
