#include "bench/claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "eval/statistics.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

using util::in_ms;
using worker::Clock;

// No memory of today writes faster (on a GPU: no second level cache), in bytes per nanosecond.
constexpr double kFastestMemory = 4000;
constexpr double kFastestCudaMemory = 20000;
// What the coordinator's clock may see beyond the worker's claim and all waiting before that is called a lie.
// On the CPU less is enough to be added to the time (overhead.h).
constexpr double kLeastClaimSlackMs = 0.4;
constexpr double kTracedSlackMs = 2;  // CUPTI is switched on, read and switched off within the request
constexpr double kSlackShare = 0.1;
// What is not added: a coordinator that has slept for long wakes up later than after the reference's call,
// and long calls meet interrupts.
constexpr double kWakingShare = 0.05;
constexpr double kMostWakingMs = 0.1;
constexpr double kAddedShare = 0.01;
// Of how many calls of a trial more than one has to leave nothing out, so that nothing is added, and of how
// many one, so that the evaluation is not refused: what disturbs most calls of a busy machine, but not all,
// is not taken for work.
constexpr std::ptrdiff_t kAddedFrom = 4;
constexpr std::ptrdiff_t kRefusedFrom = 10;
// The spin in front of a call ends after this time (device/cuda/timer.cpp): what takes longer is not covered.
constexpr double kMostQueueingMs = 5;
// What the worker's own clock may see beyond the events of a call, which it sees beyond empty ones, too.
constexpr double kBeyondEventsMs = 0.002;
constexpr double kBeyondEventsShare = 0.02;
// In so many trials at least: a machine disturbs one now and then.
constexpr std::size_t kFewestRewritten = 2;
// What CUPTI may see beyond the events: it runs kernels one at a time, which costs small ones some
// microseconds.
constexpr double kWitnessShare = 1.5;
constexpr double kWitnessSlackNs = 5000;
// Kernels that are recorded one at a time do not overlap, as those of a chain with programmatic dependent
// launch do by design, on an H200 by 0.7 to 1.9 us each.
constexpr double kOverlapNs = 1000;
constexpr double kShortestKernelNs = 600;
// What events may see beyond CUPTI's records where those are the clock: what lies between kernels.
constexpr double kGapsShare = 3;
constexpr double kGapsSlackNs = 20'000;

// The host may take milliseconds to queue what the device does in microseconds, while the device waits.
double queueing_ms(const worker::Done& done, Clock clock) {
  const bool waits_meanwhile = (clock == Clock::kEvents && done.covered) || clock == Clock::kEventSegments;
  return waits_meanwhile ? std::min(in_ms(done.host_ns), kMostQueueingMs) : 0;
}

// On a device the worker's other threads have little to do: what they use is work. On the CPU overhead.h says
// what waiting explains; all of it is taken off before a claim is refused.
std::int64_t known_waiting_ns(const worker::CallTimes& ran, bool on_cuda) {
  return std::max<std::int64_t>(0, ran.waited_ns - (on_cuda ? ran.others_cpu_ns : 0)) + ran.own_waited_ns;
}

// What the coordinator's clock saw beyond the claim and all waiting.
double unexplained_ms(const worker::CallTimes& ran, bool on_cuda) {
  return in_ms(ran.envelope_ns - known_waiting_ns(ran, on_cuda)) - in_ms(ran.done.elapsed_ns);
}

// What of that may be there without being called a lie, or being added on a device.
double unexplained_slack_ms(const Measurement& m, double claim_ms) {
  const double least = is_by_cupti(m.clock) ? kTracedSlackMs : kLeastClaimSlackMs;
  return std::max(least, 5 * m.round_trip_ms) + kSlackShare * claim_ms;
}

// On a device: what Python's interpreter takes to queue a call is no work. What C or C++ takes may be.
double unclaimed_on_device_ms(const worker::CallTimes& ran, bool is_guest, const Measurement& m) {
  const double gap = unexplained_ms(ran, true) - (is_guest ? queueing_ms(ran.done, m.clock) : 0);
  return std::max(0.0, gap) + (m.overhead ? longer_around_ms(ran.beside, *m.overhead) : 0);
}

// What a trial's calls may take beyond their claims before it is added to them.
double unclaimed_slack_ms(const Measurement& m, double claim_ms) {
  const double usual = m.overhead ? m.overhead->slack_ms : 0;
  if (m.on_cuda) return std::max(usual, unexplained_slack_ms(m, claim_ms));
  return usual + std::min(kMostWakingMs, kWakingShare * claim_ms) + kAddedShare * claim_ms;
}

// The calls' claims with all that they leave out.
std::vector<double> whole_of(const std::vector<double>& claims, const std::vector<double>& beyond) {
  std::vector<double> whole = claims;
  for (std::size_t call = 0; call < whole.size(); ++call) whole[call] += beyond[call];
  return whole;
}

// By how much a low quantile of a trial's calls (1 / `part`), with all that their claims leave out, is more
// than the median claim.
double left_out_ms(const std::vector<double>& claims, const std::vector<double>& beyond,
                   std::ptrdiff_t part) {
  auto whole = whole_of(claims, beyond);
  const auto low = whole.begin() + (std::ssize(whole) - 1) / part;
  std::nth_element(whole.begin(), low, whole.end());
  return *low - eval::median(claims);
}

// What the worker's own clock saw beyond events, of trials in which it is known, the median.
std::vector<double> beyond_of_trials(const Measurement& m) {
  std::vector<double> medians;
  for (const auto& trial : m.beyond_events_ms) {
    if (!trial.empty()) medians.push_back(eval::median(trial));
  }
  return medians;
}

double most_beyond_events_ms(const Measurement& m) {
  return kBeyondEventsMs + kBeyondEventsShare * eval::median(joined(m.trials_ms));
}

// By how much the kernels of a call that claims so much may overlap.
double overlap_ns(const Measurement& m, double claim_ns) {
  if (m.kernels <= 1) return 0;
  return kOverlapNs * std::min(static_cast<double>(m.kernels - 1), claim_ns / kShortestKernelNs);
}

}  // namespace

std::optional<std::string> impossible_claim(const worker::CallTimes& ran, std::uint64_t output_bytes,
                                            bool on_cuda) {
  const double floor_ns = static_cast<double>(output_bytes) / (on_cuda ? kFastestCudaMemory : kFastestMemory);
  const double claim = ran.done.elapsed_ns;
  const bool enough = claim > 0 && claim >= floor_ns;
  if (enough && claim <= static_cast<double>(ran.envelope_ns)) return std::nullopt;
  return fmt::format(
      "the worker claims {:.0f} ns for the call, which is not possible (the coordinator saw {} ns, writing "
      "the outputs takes {:.0f} ns)",
      claim, ran.envelope_ns, floor_ns);
}

double wall_ms(const worker::CallTimes& call) {
  return in_ms(call.envelope_ns + call.beside.prepare_ns + call.beside.collect_ns + call.beside.open_ns);
}

double wall_without_waiting_ms(const worker::CallTimes& call) {
  const auto& beside = call.beside;
  if (call.lost_processes || beside.lost_processes) return wall_ms(call);
  const std::int64_t waited_ns = call.waited_ns + call.own_waited_ns + beside.prepare_waited_ns +
                                 beside.collect_waited_ns + beside.open_waited_ns;
  return wall_ms(call) - std::clamp(in_ms(waited_ns) - others_ms(call), 0.0, wall_ms(call));
}

double others_ms(const worker::CallTimes& call) {
  return in_ms(call.beside.exact_others_ns.value_or(call.others_cpu_ns + call.beside.others_cpu_ns));
}

void sort_into_trials(const std::vector<worker::CallTimes>& runs, bool is_guest, Measurement& m) {
  m.trials_ms.clear();
  m.unexplained_ms.clear();
  m.unclaimed_ms.clear();
  m.envelopes_ms.clear();
  m.walls_ms.clear();
  m.others_ms.clear();
  m.host_ms.clear();
  m.clocks_mhz.clear();
  m.beyond_events_ms.clear();
  std::vector<double> exact_others_ms;
  for (std::size_t call = 0; call < runs.size(); ++call) {
    const auto number = static_cast<std::int64_t>(call);
    const int in_trial = m.plan.trial_of(number);
    if (number < m.plan.calls_of(in_trial) + m.plan.warmup_of(in_trial)) continue;
    const auto trial = static_cast<std::size_t>(in_trial);
    if (m.trials_ms.size() <= trial) {
      m.trials_ms.resize(trial + 1);
      m.unexplained_ms.resize(trial + 1);
      m.unclaimed_ms.resize(trial + 1);
      m.beyond_events_ms.resize(trial + 1);
    }
    const auto& ran = runs[call];
    const auto& done = ran.done;
    m.trials_ms[trial].push_back(in_ms(done.elapsed_ns));
    m.unexplained_ms[trial].push_back(unexplained_ms(ran, m.on_cuda) - queueing_ms(done, m.clock));
    if (m.on_cuda) {
      m.unclaimed_ms[trial].push_back(unclaimed_on_device_ms(ran, is_guest, m));
    } else if (m.overhead) {
      m.unclaimed_ms[trial].push_back(unclaimed_ms(ran, *m.overhead, is_guest));
    }
    if (m.clock == Clock::kEvents && done.around_ns > 0 && done.empty_around_ns > 0)
      m.beyond_events_ms[trial].push_back(in_ms(done.around_ns - done.empty_around_ns));
    m.envelopes_ms.push_back(in_ms(ran.envelope_ns));
    m.walls_ms.push_back(wall_ms(ran));
    m.others_ms.push_back(others_ms(ran));
    if (ran.beside.exact_others_ns) exact_others_ms.push_back(others_ms(ran));
    m.host_ms.push_back(in_ms(done.host_ns));
    if (done.clock_mhz > 0) m.clocks_mhz.push_back(done.clock_mhz);
  }
  m.others_are_exact = !exact_others_ms.empty();
  if (m.others_are_exact) m.others_ms = std::move(exact_others_ms);
}

void add_unclaimed_time(Measurement& m) {
  if (!m.on_cuda && !m.overhead) return;  // no reference was called
  for (std::size_t trial = 0; trial < m.trials_ms.size(); ++trial) {
    auto& times = m.trials_ms[trial];
    const double claim = eval::median(times);
    const auto& beyond = m.unclaimed_ms[trial];
    const bool is_much = left_out_ms(times, beyond, kAddedFrom) > unclaimed_slack_ms(m, claim);
    m.added_ms.push_back(is_much ? eval::median(whole_of(times, beyond)) - claim : 0);
    for (auto& time : times) time += m.added_ms.back();
  }
}

std::optional<std::string> about_added_time(const Measurement& m) {
  const double most = m.added_ms.empty() ? 0 : *std::max_element(m.added_ms.begin(), m.added_ms.end());
  if (most == 0) return std::nullopt;
  return fmt::format("{:.4f} ms a call (in the trial with the most) are added to the worker's claims: {}",
                     most,
                     m.on_cuda ? "the host took so much longer around them, which may have been work"
                               : "it worked so much longer around them than the reference's worker does");
}

// The worker's clock may leave out a round trip; waiting for a CPU is known; what remains, in any trial, must
// not be work.
std::optional<std::string> unexplained_time(const Measurement& m) {
  for (std::size_t trial = 0; trial < m.trials_ms.size(); ++trial) {
    const double claim = eval::median(m.trials_ms[trial]);
    const double unexplained = left_out_ms(m.trials_ms[trial], m.unexplained_ms[trial], kRefusedFrom);
    if (unexplained <= unexplained_slack_ms(m, claim)) continue;
    return fmt::format(
        "the worker claims {:.3f} ms a call, and the coordinator's clock saw {:.3f} ms more that nothing "
        "explains{}",
        claim, unexplained,
        m.clock == Clock::kEvents ? " (--clock events cannot time calls that wait for the device)" : "");
  }
  return std::nullopt;
}

std::optional<double> beyond_events_ms(const Measurement& m) {
  const auto trials = beyond_of_trials(m);
  if (trials.empty()) return std::nullopt;
  return *std::max_element(trials.begin(), trials.end());
}

std::optional<std::string> rewritten_events(const Measurement& m) {
  const auto beyond_ms = beyond_events_ms(m);
  if (!beyond_ms || *beyond_ms <= most_beyond_events_ms(m)) return std::nullopt;
  return fmt::format(
      "the clocks disagree: {:.4f} ms a call by events, whose times a kernel can rewrite, and {:.4f} ms more "
      "by the clock of the host",
      eval::median(joined(m.trials_ms)), *beyond_ms);
}

bool rewrites_all_trials(const Measurement& m) {
  const auto trials = beyond_of_trials(m);
  return trials.size() >= kFewestRewritten &&
         *std::min_element(trials.begin(), trials.end()) > most_beyond_events_ms(m);
}

std::optional<std::string> disagreeing_clocks(const Measurement& m) {
  if (m.witness_ms.empty() || m.clock == Clock::kOpenEvents) return std::nullopt;
  std::vector<double> medians;
  for (const auto& trial : m.trials_ms) medians.push_back(eval::median(trial));
  const double claim = eval::mean(medians);
  const double witness = eval::median(m.witness_ms);
  const bool more = is_by_cupti(m.clock) ? 1e6 * witness > kGapsShare * 1e6 * claim + kGapsSlackNs
                                         : sees_more(1e6 * witness - overlap_ns(m, 1e6 * claim), 1e6 * claim);
  if (!more) return std::nullopt;
  return fmt::format("the clocks disagree: {:.4f} ms a call by {}, {:.4f} ms by {}", claim, name_of(m.clock),
                     witness, name_of(m.witness_clock));
}

bool sees_more(double cupti_ns, double events_ns) {
  return cupti_ns > kWitnessShare * events_ns + kWitnessSlackNs;
}

}  // namespace fib::bench
