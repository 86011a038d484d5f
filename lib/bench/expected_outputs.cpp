#include "bench/expected_outputs.h"

#include <algorithm>

#include "bench/idle_device.h"
#include "eval/evaluator.h"
#include "eval/rule.h"
#include "eval/statistics.h"
#include "util/hash.h"

namespace fib::bench {
namespace {

using util::in_ms;

// What the first calls take decides how many are made, and how many of them are not timed.
constexpr std::uint64_t kUsualCalls = 2;
// Expected outputs that are made at once, and their bytes: memory that is used again costs less than memory
// that nobody has used. On a GPU those of one batch come at once, as those of a count do.
constexpr std::uint64_t kMostAtOnce = 64;
constexpr std::uint64_t kMostBytesAtOnce = std::uint64_t{512} << 20U;
constexpr std::uint64_t kMostBytesOfCount = std::uint64_t{2} << 30U;
// Inputs and outputs of calls that wait for the reference, or for the judge to keep them.
constexpr std::uint64_t kMostDeviceBytesAtDoor = std::uint64_t{4} << 30U;
constexpr std::uint64_t kMostHostBytesAtDoor = std::uint64_t{4} << 20U;
// Calls of a reference whose outputs nobody needs, and their share of the evaluation's budget.
constexpr std::uint64_t kTimedCalls = 5;
constexpr double kTimedShare = 0.5;
// Of the reference's calls, those that say what a call takes beside the work.
constexpr std::size_t kOverheadCalls = 256;
constexpr std::size_t kEnoughOverheadCalls = 8;
constexpr std::size_t kSmallBatch = 4;
// So many times of the reference at least, and at most so many of one batch.
constexpr std::size_t kEnoughTimes = 10;
constexpr std::size_t kMostTimesAtOnce = 16;
// After so many batches on a busy GPU, and none on an idle one, no more are made.
constexpr int kMostDisturbed = 8;

// How many of the reference's calls are made between two of the judge's: on a GPU each change from one
// process to the other takes as long as a small call. On the CPU it saves next to nothing, and a call that
// follows one of its own finds more in the caches than a solution's does.
std::uint32_t places_at_door(const EvaluationParts& parts, bool on_device) {
  if (!parts.device.is_cuda()) return 1;
  const std::uint64_t bytes =
      std::max<std::uint64_t>(1, parts.layout().input_bytes + parts.layout().output_bytes);
  const std::uint64_t most = (on_device ? kMostDeviceBytesAtDoor : kMostHostBytesAtDoor) / bytes;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 1, kMostAtOnce));
}

// What the reference has not been started for is not known before.
worker::AttachedDoor references_door(const EvaluationParts& parts) {
  parts.reference.start(*parts.planned.definition);
  const bool on_device = parts.reference.on_device() && !eval::is_small(parts.layout());
  return {parts.judge, {parts.workload.opened.workload, on_device, false, places_at_door(parts, on_device)}};
}

// So many times of the reference are kept at most.
std::size_t most_times(const RunConfig& config) {
  const CallPlan wanted = wanted_calls(config);
  return static_cast<std::size_t>(wanted.may_end_sooner() ? wanted.trials * wanted.timed : wanted.timed);
}

// As many calls as the door has places for. The first batches of a workload are small, so that there are
// enough first calls to tell what a call takes beside the work: one alone may have met something else.
std::size_t batch_of(const EvaluationParts& parts, const worker::AttachedDoor& door) {
  const std::size_t places = door.fds().places;
  const bool is_known =
      !parts.reference.on_device() || parts.workload.reference_calls.size() >= kEnoughOverheadCalls;
  return is_known ? places : std::min(places, kSmallBatch);
}

}  // namespace

ExpectedOutputs::ExpectedOutputs(const EvaluationParts& parts)
    : parts_(parts), workload_(parts.workload), door_(references_door(parts)), shared_(workload_.dear) {
  parts_.reference.open(parts_.layout(), door_.fds());
}

worker::SetId ExpectedOutputs::set_of(std::uint64_t call) const {
  if (workload_.opened.inputs_fixed) return {"", 0};
  return {shared_ ? "" : parts_.planned.set_owner, call, is_scaled(call)};
}

bool ExpectedOutputs::is_scaled(std::uint64_t call) const {
  util::Sha256 hash;
  hash.add(counted_from_ ? "scaled" : "scale").add(parts_.secret).add(parts_.planned.set_owner);
  if (counted_from_) {
    const std::string digits =
        hash.add(parts_.planned.workload->uuid).add(*counted_from_).hex().substr(0, 15);
    return call == *counted_from_ + std::stoull(digits, nullptr, 16) % kFewestCounted;
  }
  if (call < kUsualCalls || call >= untimed_) return false;
  // One at least is.
  if (call + 1 == untimed_) return true;
  return hash.add(call).hex().front() < '8';
}

void ExpectedOutputs::make(std::uint64_t first, std::uint64_t count, double enough) {
  const bool one_set = workload_.opened.inputs_fixed;
  const bool needed = eval::needs_expected(parts_.planned.rule);
  const std::uint64_t end = one_set ? 1 : first + std::min(count, most_at_once());
  if (needed ? until_ >= end : timed_) return;
  const Stopped stopped(parts_.worker);
  if (!needed) time_reference(own_ms_);
  while (needed && until_ < end) make_batch(end, enough);
  if (needed && one_set) time_reference(workload_.reference_ms);
}

bool ExpectedOutputs::are_made(std::uint64_t call) const {
  return until_ > (workload_.opened.inputs_fixed ? 0 : call);
}

void ExpectedOutputs::begin_at(std::uint64_t first) {
  own_from(workload_.opened.inputs_fixed ? 0 : first);
  timed_ = true;
  counted_from_ = first;
}

void ExpectedOutputs::share_from(std::uint64_t first) {
  shared_ = true;
  until_ = first;
}

void ExpectedOutputs::own_from(std::uint64_t first) {
  shared_ = false;
  until_ = first;
}

// What a call takes beside the work is what the first takes: there the device comes from another process, as
// it does in a solution's calls.
std::vector<ReferenceCall> ExpectedOutputs::call_reference(const std::vector<worker::SetId>& sets,
                                                           std::size_t timed) {
  parts_.judge.fill(door_.number(), sets);
  // What ends soon is no reason to go without the calls' times; what did not end once is not waited for
  // again.
  const bool on_gpu = parts_.device.is_cuda() && parts_.reference.on_device();
  const bool was_idle = !on_gpu || becomes_idle(parts_.judge, disturbed_ > 0 ? 1 : kLooksForIdle);
  auto calls = parts_.reference.calls(parts_.layout(), static_cast<std::uint32_t>(sets.size()),
                                      static_cast<std::uint32_t>(timed));
  if (on_gpu && (!was_idle || !becomes_idle(parts_.judge, 1))) {
    if (++disturbed_ >= kMostDisturbed && reference_ms().empty()) throw busy_device();
    for (auto& call : calls) call.cold = true;
    return calls;
  }
  for (const auto& call : calls) {
    if (call.cold && call.ns > 0) workload_.cold_reference_ms = in_ms(call.ns);
  }
  auto& kept = calls.front().cold ? workload_.cold_reference_calls : workload_.reference_calls;
  if (kept.size() < kOverheadCalls) kept.push_back(calls.front().times);
  return calls;
}

// How many calls of the next batch are timed. Those that are made for a count come after the reference has
// been timed.
std::size_t ExpectedOutputs::times_wanted(double enough) const {
  if (counted_from_ || !times_reference(parts_.config)) return 1;
  const std::size_t known = (shared_ ? workload_.reference_ms : own_ms_).size();
  const std::size_t most = most_times(parts_.config);
  std::size_t wanted = most - std::min(most, known);
  if (!shared_ && enough > 0) {
    const bool is_enough = known >= kEnoughTimes && reference_is_settled(enough);
    wanted = is_enough ? 0 : std::min(wanted, kMostTimesAtOnce);
  }
  return std::max<std::size_t>(1, wanted);
}

// Of the calls up to `end`.
void ExpectedOutputs::make_batch(std::uint64_t end, double enough) {
  std::vector<worker::SetId> sets;
  for (const std::size_t most = batch_of(parts_, door_); until_ < end && sets.size() < most; ++until_) {
    const auto set = set_of(until_);
    // Only sets that others use too may be known already.
    if (!set.owner.empty() || !parts_.judge.knows(door_.number(), set)) sets.push_back(set);
  }
  if (sets.empty()) return;
  const auto calls = call_reference(sets, std::min(times_wanted(enough), sets.size()));
  const std::size_t most = most_times(parts_.config);
  auto& times = shared_ ? workload_.reference_ms : own_ms_;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (calls[i].tied_rows > 0) workload_.tied_sets.insert(sets[i]);
    if (!calls[i].cold && times.size() < most) times.push_back(in_ms(calls[i].ns));
  }
  parts_.judge.keep(door_.number(), sets);
}

// A few calls for their time alone: where outputs are not compared with the reference's, and, for the first
// solution, where there is one set and so one expected output. A call that is known to be too slow is not
// made again.
void ExpectedOutputs::time_reference(std::vector<double>& times) {
  timed_ = true;
  if (!times.empty()) return;
  if (!times_reference(parts_.config)) {
    // What a call takes beside the work has to be known all the same.
    try {
      if (!parts_.device.is_cuda() && !overhead()) (void)call_reference({set_of(0)});
    } catch (const ReferenceError&) {  // NOLINT(bugprone-empty-catch): nobody needs what it gives
    }
    return;
  }
  parts_.await_quiet();
  const double budget_ms = 1e3 * kTimedShare * parts_.config.call_budget_s;
  const std::int64_t begin = parts_.now_ns();
  for (std::uint64_t number = 0; number < kTimedCalls; ++number) {
    const double next_ms = workload_.cold_reference_ms.value_or(0);
    if (in_ms(parts_.now_ns() - begin) + next_ms > budget_ms) return;
    const auto call = call_reference({set_of(number)}).front();
    if (!call.cold) times.push_back(in_ms(call.ns));
  }
}

std::optional<Overhead> ExpectedOutputs::measured_overhead() const {
  if (parts_.device.is_cuda() && !parts_.reference.on_device()) return std::nullopt;
  // First calls take longer around the work, too: better than to know nothing.
  return overhead_of(workload_.reference_calls.empty() ? workload_.cold_reference_calls
                                                       : workload_.reference_calls);
}

std::optional<Overhead> ExpectedOutputs::overhead() const {
  const auto& layout = parts_.layout();
  auto overhead = measured_overhead();
  const bool is_assumed = !overhead && parts_.device.is_cuda();
  if (is_assumed) overhead = assumed_overhead(layout.input_bytes + layout.output_bytes);
  const bool is_of_other_kind = is_assumed || !parts_.reference.on_device();
  if (overhead && parts_.facts.is_guest && is_of_other_kind)
    overhead = for_guest(*overhead, layout.inputs.size() + layout.outputs.size());
  return overhead;
}

std::vector<double> ExpectedOutputs::reference_ms() const {
  if (!workload_.reference_ms.empty()) return workload_.reference_ms;
  // Where very few calls are made all of them may have been cold.
  if (own_ms_.empty() && workload_.cold_reference_ms && disturbed_ == 0)
    return {*workload_.cold_reference_ms};
  return own_ms_;
}

bool ExpectedOutputs::reference_is_settled(double share) const {
  const bool has_own_calls =
      eval::needs_expected(parts_.planned.rule) && !shared_ && !workload_.opened.inputs_fixed;
  if (!times_reference(parts_.config) || !has_own_calls) return true;
  if (parts_.device.is_cuda() && !parts_.reference.on_device()) return true;  // there is no speedup
  return !own_ms_.empty() && eval::median_half_width(own_ms_) <= share * eval::median(own_ms_);
}

std::uint64_t ExpectedOutputs::most_at_once() const {
  if (counted_from_) return most_of_count();
  const std::uint64_t batch = std::min<std::uint64_t>(door_.fds().places, most_of_count());
  return std::max(most_within(kMostBytesAtOnce), batch);
}

std::uint64_t ExpectedOutputs::most_of_count() const { return most_within(kMostBytesOfCount); }

std::uint64_t ExpectedOutputs::most_within(std::uint64_t bytes) const {
  const std::uint64_t most = std::min(parts_.config.memory_budget_bytes, bytes);
  return std::clamp<std::uint64_t>(most / std::max<std::uint64_t>(1, parts_.layout().output_bytes), 1,
                                   kMostAtOnce);
}

std::string about_ties(const EvaluationParts& parts, const worker::SetId& set) {
  if (eval::lets_ties_differ(parts.planned.rule) || !parts.workload.tied_sets.contains(set)) return {};
  return "\nthe reference's torch.topk took some of several equal values in this call; a solution that takes "
         "others differs";
}

}  // namespace fib::bench
