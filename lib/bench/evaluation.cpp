#include "bench/evaluation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/claims.h"
#include "bench/counted_work.h"
#include "bench/idle_device.h"
#include "bench/interval.h"
#include "bench/looks.h"
#include "bench/stopwatch.h"
#include "eval/rule.h"
#include "eval/statistics.h"

namespace fib::bench {
namespace {

// How often all calls of an evaluation are made before time that nothing explains, or that only the host's
// clock has seen, is called a lie. A machine that takes time from processes without counting it does so now
// and then; who lies does it again.
constexpr int kMostAttempts = 3;

// What calls on sets of a solution's own may take, of what those on shared sets take.
constexpr double kMostOfShared = 1.5;
constexpr double kMostBeyondSharedNs = 1'000;
// How many of them are made before they count in place of the others, beside a first one after the pause.
constexpr std::uint64_t kOwnCalls = 3;

double median_ns(const std::vector<worker::CallTimes>& calls) {
  std::vector<double> all;
  for (const auto& call : calls) all.push_back(call.done.elapsed_ns);
  return eval::median(all);
}

// Whether calls that nobody times have used up their time by being slower than those that are timed: a
// solution that wants few of its calls to be judged would do that.
bool used_up_the_time(const std::vector<worker::CallTimes>& further,
                      const std::vector<worker::CallTimes>& counted, double budget_ms) {
  constexpr double kTimes = 5;
  std::vector<double> usual;
  for (const auto& call : counted) usual.push_back(wall_ms(call));
  if (usual.empty()) return false;
  double beyond = 0;
  for (const auto& call : further) beyond += std::max(0.0, wall_ms(call) - kTimes * eval::median(usual));
  return beyond > budget_ms / 2;
}

// What is known before the first call.
Measurement begin(const EvaluationParts& parts) {
  Measurement result;
  result.plan = parts.workload.dear ? parts.workload.dear_plan : wanted_calls(parts.config);
  result.inputs_fixed = parts.workload.opened.inputs_fixed;
  result.round_trip_ms = parts.facts.round_trip_ms;
  result.sandbox = parts.facts.sandbox;
  result.memory_group = parts.facts.memory_group;
  result.synthesized = parts.workload.synthesized;
  result.on_cuda = parts.device.is_cuda();
  result.device = parts.judge.describe();
  return result;
}

double highest_clock_mhz(const worker::DeviceState& device) {
  return nlohmann::json::parse(device.state).value("max_sm_clock_mhz", 0.0);
}

// How many of the first calls may be on smaller inputs: the warm-up calls, and, where nobody says how many
// calls there are, a few more, which do not count then. Where even the smallest plan is too dear, the third
// call at least: a solution that is slow on purpose in the first two would have none otherwise.
std::uint64_t untimed_calls_of(const CallPlan& plan) {
  constexpr int kLeastUntimed = 4;
  constexpr int kLeastWhereTooDear = 3;
  const int least = !plan.may_end_sooner() ? 0 : plan.too_dear ? kLeastWhereTooDear : kLeastUntimed;
  return static_cast<std::uint64_t>(std::max(plan.warmup, least));
}

// Whether other clocks saw so much more of the calls than is claimed that the times may be refused.
bool has_doubtful_times(const Measurement& result) {
  return unexplained_time(result) || rewritten_events(result);
}

// Whether other clocks saw more of the calls than their worker claims.
bool seems_longer(const Measurement& result) {
  const auto is_much = [](double added_ms) { return added_ms > 0; };
  return std::any_of(result.added_ms.begin(), result.added_ms.end(), is_much) || has_doubtful_times(result);
}

// Work of others on the GPU makes calls longer: nobody can tell that from work of the solution, which may
// also have left it there itself. Throws NoVerdict.
void expect_idle_device(const EvaluationParts& parts) {
  const Stopped stopped(parts.worker);
  if (!becomes_idle(parts.judge, kLooksForIdle)) throw busy_device();
}

// Throws Failed for times that cannot be true.
void believe_times(const Measurement& result) {
  using model::ErrorCode;
  const auto refuse = [](const std::string& problem, ErrorCode code) {
    throw Failed{model::Status::RUNTIME_ERROR, problem, {code}};
  };
  if (const auto problem = unexplained_time(result)) refuse(*problem, ErrorCode::unexplained_time);
  if (const auto problem = rewritten_events(result)) {
    if (!rewrites_all_trials(result))
      throw NoVerdict(model::ObstacleCode::unclear_time,
                      *problem + " in some trials: the machine is too busy, or a kernel does that");
    refuse(*problem, ErrorCode::clocks_disagree);
  }
  if (const auto problem = disagreeing_clocks(result)) refuse(*problem, ErrorCode::clocks_disagree);
}

}  // namespace

EvaluationRun::EvaluationRun(const EvaluationParts& parts)
    : parts_(parts),
      result_(begin(parts_)),
      clocks_(parts_, highest_clock_mhz(result_.device)),
      expected_(parts_),
      calls_(parts_, expected_) {}

Measurement EvaluationRun::run() {
  begin_ns_ = parts_.now_ns();
  const bool were_shared = expected_.are_shared();
  const bool made = succeeds([this, were_shared] {
    make_first_calls();
    make_trials();
    if (were_shared) check_on_own_sets();
  });
  sort_calls();  // those before a failure too
  // A solution can count: the trials' calls are judged without those that come after them.
  const bool right = made && succeeds([this] { conclude(); });
  const bool believed = right && succeeds([this] { believe_times(result_); });
  const bool others_may_explain = believed || (right && has_doubtful_times(result_));
  add_unclaimed_time(result_);
  if (others_may_explain && result_.on_cuda) {
    if (seems_longer(result_)) expect_idle_device(parts_);
    if (expected_.reference_was_disturbed()) throw busy_device();
  }
  const bool passed = believed && succeeds([this] {
                        make_further_calls();
                        conclude();
                      });
  if (passed) {
    result_.status = model::Status::PASSED;
    want_count(parts_, expected_, calls_, result_);
  }
  complete_result();
  auto& durations = result_.durations;
  const Waited waited = calls_.waited();
  durations.run_ms = waited.run_ms;
  durations.judge_ms = waited.judge_ms;
  durations.reference_ms = util::in_ms(reference_ns_) + waited.reference_ms;
  if (trials_ns_ > 0) durations.time_ms = util::in_ms(trials_ns_);
  return std::move(result_);
}

// The first calls are like all others; what they cost decides how many more are made. The very first also
// pays for fresh memory, so a second one is asked before the plan is cut down.
void EvaluationRun::make_first_calls() {
  calls_.open();
  const auto total = static_cast<double>(result_.plan.total());
  if (result_.plan.warmup == 0) parts_.await_quiet();
  for (int pilot = 0; pilot < 2; ++pilot) {
    const std::int64_t begin = parts_.now_ns();
    make_calls(1);
    const double call_s = util::in_ms(parts_.now_ns() - begin) / 1e3;
    parts_.await_quiet();
    const bool last = pilot == 1 || total == 1;
    if (!last && call_s * total > parts_.config.call_budget_s) continue;
    fit_plan(call_s);
    if (!expected_.are_shared()) expected_.set_untimed(untimed_calls_of(result_.plan));
    break;
  }
  if (clocks_.is_undecided()) make_counted_call();
  clocks_.choose(calls_);
  // Calls by another clock than the chosen one count as warm-up at most: a solution that waits for the device
  // runs into the end of the spin, which the chosen clock does without.
  if (clocks_.of_calls() == worker::Clock::kOpenEvents)
    counted_.resize(std::min(counted_.size(), static_cast<std::size_t>(result_.plan.warmup)));
}

void EvaluationRun::fit_plan(double call_s) {
  result_.plan = fit_calls(result_.plan, call_s, parts_.config.call_budget_s);
  auto& workload = parts_.workload;
  if (!result_.plan.too_dear || expected_.are_shared() || workload.opened.inputs_fixed) return;
  // Of a solution that is slow itself no other one has a disadvantage.
  if (!is_reference_dear()) return;
  workload.dear = true;
  workload.dear_plan = result_.plan;
  // Those made so far had sets of their own.
  if (calls_.sets() < static_cast<std::uint64_t>(result_.plan.total())) expected_.share_from(calls_.sets());
}

// Whether the reference alone is too slow for the smallest plan.
bool EvaluationRun::is_reference_dear() const {
  const auto reference_ms = expected_.reference_ms();
  if (reference_ms.empty()) return eval::needs_expected(parts_.planned.rule);
  const double reference_s = eval::median(reference_ms) / 1e3;
  return fit_calls(wanted_calls(parts_.config), reference_s, parts_.config.call_budget_s).too_dear;
}

void EvaluationRun::make_trials() {
  const Stopwatch timing(parts_, trials_ns_);
  for (int attempt = 1;; ++attempt) {
    if (parts_.has_tracer() && !result_.plan.too_dear)
      looks_ =
          look_places(parts_.secret,
                      fmt::format("{}{}{}", parts_.planned.set_owner, parts_.planned.workload->uuid, attempt),
                      result_.plan);
    make_enough_trials();
    if (attempt == kMostAttempts || !has_doubtful_times(result_)) break;
    counted_.clear();
    clocks_.forget_looks();
  }
}

// The calls of so many trials as the plan says, and says why there are no more.
void EvaluationRun::make_enough_trials() {
  const auto& plan = result_.plan;
  const CallPlan wanted = wanted_calls(parts_.config);
  for (int trials = plan.least_trials();; ++trials) {
    const auto calls = static_cast<std::size_t>(plan.calls_of(trials));
    while (counted_.size() < calls) make_calls(calls - counted_.size());
    sort_calls();
    if (plan.may_end_sooner() && is_settled()) {
      result_.ended_by = EndedBy::kNoise;
      return;
    }
    if (trials < plan.trials) continue;
    const bool all = plan.trials == wanted.trials && plan.timed == wanted.timed;
    result_.ended_by = !all                    ? EndedBy::kBudget
                       : plan.may_end_sooner() ? EndedBy::kMostCalls
                                               : EndedBy::kIterations;
    return;
  }
}

// Other solutions of the run have had all of the sets so far, and one that works together with this one may
// have left the answers (docs/THREAT-MODEL.md). So a call on a set of its own has to take about as long.
// Where it does not, some more tell whether that was by chance; where it was not, they count in place of the
// others.
void EvaluationRun::check_on_own_sets() {
  const auto on_shared_sets = std::exchange(counted_, {});
  const double usual_ns = median_ns(on_shared_sets);
  const auto is_as_usual = [&] {
    return median_ns(counted_) <= kMostOfShared * usual_ns + kMostBeyondSharedNs;
  };
  expected_.own_from(calls_.sets());
  while (counted_.empty()) make_calls(1);
  if (!is_as_usual()) {
    counted_.clear();
    while (counted_.size() < 1 + kOwnCalls) make_calls(1 + kOwnCalls - counted_.size());
    counted_.erase(counted_.begin());
  }
  if (is_as_usual()) {
    counted_ = on_shared_sets;
    expected_.share_from(calls_.sets());
    return;
  }
  result_.plan = {1, 0, static_cast<int>(kOwnCalls), true};
  result_.note += fmt::format(
      "on inputs that other solutions of the run had had before it took {:.5g} ms a call, on inputs of its "
      "own "
      "it takes {:.5g} ms, which counts\n",
      usual_ns / 1e6, median_ns(counted_) / 1e6);
}

// Whether more calls would tell little: the solution's times are known within the plan's width or as well as
// it helps, the reference's as well as these, and the coordinator's clock agrees with them. Where all calls
// are judged together (sampling), those of the trials are first judged without those that come after them,
// and have to be enough for that.
bool EvaluationRun::is_settled() {
  if (unexplained_time(result_) || calls_.sets() < parts_.workload.opened.calls_wanted) return false;
  Measurement recorded = result_;  // with the time that the claims leave out
  add_unclaimed_time(recorded);
  const double latency = latency_of(recorded);
  const auto interval = interval_of(recorded.trials_ms, recorded.on_cuda, recorded.kernels);
  enough_ = enough_share(interval, latency, result_.plan.width);
  return interval.own_ms() <= enough_ * latency && expected_.reference_is_settled(enough_);
}

// Within which share of its median the reference's time has to be known: what is_settled() has asked for, or
// will as far as the calls so far tell; 0 where nobody asks.
double EvaluationRun::enough_so_far() const {
  if (enough_ > 0) return enough_;
  if (!result_.plan.may_end_sooner() || counted_.empty()) return 0;
  const double latency_ms = median_ns(counted_) / 1e6;
  if (latency_ms <= 0) return 0;
  return enough_share(interval_of({{latency_ms}}, result_.on_cuda, 1), latency_ms, result_.plan.width);
}

// At most `wanted` calls that count, and the looks among them. Expected outputs are made ahead, so that the
// reference rests meanwhile.
void EvaluationRun::make_calls(std::uint64_t wanted) {
  std::uint64_t count = 0;
  std::uint64_t sets = 0;
  for (; count < wanted; ++count) {
    const std::uint64_t more = looks_.contains(counted_.size() + count) ? 2 : 1;
    if (count > 0 && sets + more > expected_.most_at_once()) break;
    sets += more;
  }
  {
    const Stopwatch waiting(parts_, reference_ns_);
    expected_.make(calls_.sets(), sets, enough_so_far());
  }
  for (; count > 0; --count) {
    if (looks_.erase(counted_.size()) > 0) clocks_.look(calls_);
    make_counted_call();
  }
}

void EvaluationRun::make_counted_call() {
  const auto times = calls_.make(clocks_.of_calls());
  const bool is_warmup = counted_.size() < static_cast<std::size_t>(result_.plan.warmup);
  if (!is_warmup && expected_.set_of(calls_.sets() - 1).is_scaled) return;
  if (!clocks_.counts(times.done, static_cast<std::uint64_t>(result_.plan.total()))) return;
  if (times.done.dropped) calls_.check_claim(times);
  counted_.push_back(times);
}

void EvaluationRun::sort_calls() {
  clocks_.report(result_);
  result_.overhead = expected_.overhead();
  sort_into_trials(counted_, parts_.facts.is_guest, result_);
}

void EvaluationRun::conclude() {
  auto concluded = calls_.conclude();
  result_.judged = std::move(concluded.extra);
  result_.zeros_pass = std::move(concluded.zeros_pass);
  if (concluded.judgement.correct) return;
  throw Failed{model::Status::INCORRECT_NUMERICAL,
               "all calls: " + concluded.judgement.explanation,
               {eval::error_code_of(parts_.planned.rule)}};
}

// Calls that nobody times: for a rule that repeats some, a few at least, whatever they cost, each on inputs
// of its own, since those of one call may say little; and for one that judges all calls together and has seen
// too few.
void EvaluationRun::make_further_calls() {
  constexpr std::uint64_t kFewRepeats = 4;
  const auto& opened = parts_.workload.opened;
  const auto repeats = [&] { return calls_.made() - calls_.sets(); };
  std::vector<worker::CallTimes> further;
  while (repeats() < opened.repeats_wanted && (repeats() < kFewRepeats || is_in_budget())) {
    if (repeats() > 0) further.push_back(calls_.make(clocks_.of_calls()));
    further.push_back(calls_.repeat(clocks_.of_calls()));
  }
  while (calls_.sets() < opened.calls_wanted && is_in_budget())
    further.push_back(calls_.make(clocks_.of_calls()));
  const bool are_fewer = calls_.sets() < opened.calls_wanted || repeats() < opened.repeats_wanted;
  if (are_fewer && used_up_the_time(further, counted_, 1e3 * parts_.config.call_budget_s))
    throw NoVerdict(
        model::ObstacleCode::unclear_work,
        "calls that nobody times took the solution far longer than those before, so that there was time "
        "for too few of them to judge it");
}

bool EvaluationRun::is_in_budget() const {
  return util::in_ms(parts_.now_ns() - begin_ns_) < 1e3 * parts_.config.call_budget_s;
}

bool EvaluationRun::succeeds(const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const Failed& failed) {
    result_.status = failed.status;
    result_.note = failed.note + '\n';
    result_.failure = failed.facts;
    return false;
  }
}

void EvaluationRun::complete_result() {
  const auto& correctness = calls_.correctness();
  // An evaluation that was to end by itself, or has failed, has fewer trials than the plan; the last may be
  // cut short.
  const auto calls = static_cast<std::int64_t>(counted_.size());
  result_.plan.trials = calls == 0 ? 0 : result_.plan.trial_of(calls - 1) + 1;
  result_.max_absolute_error = correctness.max_absolute_error;
  result_.max_relative_error = correctness.max_relative_error;
  result_.matched_ratio = correctness.matched_ratio;
  result_.inputs_changed = correctness.inputs_changed;
  result_.engine = parts_.reference.engine();
  result_.reference_on_cuda = result_.on_cuda && parts_.reference.on_device();
  result_.reference_ms = expected_.reference_ms();
  result_.reference_is_shared = expected_.reference_is_shared();
  result_.sets = result_.inputs_fixed ? 1 : calls_.sets();
  result_.sets_shared = expected_.are_shared();
  if (result_.inputs_changed > 0) {
    result_.note += fmt::format("{}the solution changed its inputs in {} of {} calls\n",
                                result_.note.empty() || result_.note.ends_with('\n') ? "" : "\n",
                                result_.inputs_changed, std::max(calls_.made(), result_.inputs_changed));
  }
  std::string remarks;
  if (!parts_.facts.note.empty()) remarks += parts_.facts.note + '\n';
  if (const auto added = about_added_time(result_)) remarks += *added + '\n';
  if (!result_.synthesized.empty())
    remarks += fmt::format("inputs made by --synthesize-missing: {}\n", fmt::join(result_.synthesized, ", "));
  result_.note = remarks + result_.note;
  result_.output = parts_.worker.take_output();
}

}  // namespace fib::bench
