#include "bench/evaluation.h"

#include <algorithm>

#include "bench/claims.h"
#include "compile/launch_plan.h"
#include "eval/evaluator.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

using model::Status;
using util::in_ms;
using worker::Clock;
using worker::Failure;

constexpr std::uint64_t kLargestChunk = 64;
// Calls of a reference whose outputs nobody needs, and their share of the evaluation's budget.
constexpr std::uint64_t kTimedReferenceCalls = 5;
constexpr double kReferenceShare = 0.5;
// A call on a multiprocessor slower than this share of its highest clock is made again (nvbench's threshold).
constexpr double kSlowClock = 0.75;
constexpr int kMoreLooks = 3;
// How often all calls of an evaluation are made before time that nothing explains is called a lie.
constexpr int kMostAttempts = 3;
// Of the reference's calls, those that say what a call takes beside the work.
constexpr std::size_t kReferenceCalls = 256;

// A worker that is stopped while this lives.
class Stopped {
 public:
  explicit Stopped(worker::WorkerClient& client) : client_(client) { client_.stop(); }
  ~Stopped() { client_.go_on(); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  worker::WorkerClient& client_;
};

// What a call of host code does can change from call to call, so that its clock is one that follows all calls
// alike; a launch plan queues the same kernels on one stream always.
Clock first_clock(const LaneDevice& device, ClockChoice choice, bool has_host_code, bool has_cupti) {
  if (!device.is_cuda()) return Clock::kHost;
  switch (choice) {
    case ClockChoice::kAuto:
      return has_host_code && has_cupti ? Clock::kEventSegments : Clock::kEvents;
    case ClockChoice::kEvents:
      return Clock::kEvents;
    case ClockChoice::kEventSegments:
      return Clock::kEventSegments;
    case ClockChoice::kCuptiKernel:
      return Clock::kCuptiKernel;
    case ClockChoice::kCuptiConcurrent:
      return Clock::kCuptiConcurrent;
  }
  return Clock::kEvents;
}

}  // namespace

EvaluationRun::EvaluationRun(const RunConfig& config, const LaneDevice& device, worker::JudgeClient& judge,
                             ReferenceRunner& reference, SolutionWorker& solution, JudgedWorkload& workload,
                             const PlannedEvaluation& planned, const std::vector<std::string>& symbols,
                             std::string_view secret)
    : config_(config),
      device_(device),
      judge_(judge),
      reference_(reference),
      solution_(solution),
      workload_(workload),
      planned_(planned),
      symbols_(symbols),
      secret_(secret) {}

template <typename Request>
auto EvaluationRun::timed(Request request) {
  const std::int64_t begin = util::monotonic_ns();
  auto answer = request(deadline());
  spent_ns_ += util::monotonic_ns() - begin;
  return answer;
}

EvaluationRun::~EvaluationRun() {
  try {
    if (reference_door_.door != 0) judge_.detach(reference_door_.door);
    if (solution_door_.door != 0) judge_.detach(solution_door_.door);
  } catch (const Error&) {
    // A judge that is gone has nothing to detach; the next request says so.
  }
}

Measurement EvaluationRun::run() {
  shared_ = workload_.dear;
  result_.plan = workload_.dear
                     ? workload_.dear_plan
                     : CallPlan{config_.num_trials, config_.warmup_runs, config_.iterations, false};
  result_.inputs_fixed = workload_.opened.inputs_fixed;
  result_.round_trip_ms = solution_.round_trip_ms;
  result_.sandbox = solution_.sandbox;
  result_.memory_group = solution_.memory_group;
  result_.device = judge_.describe();
  result_.on_cuda = device_.is_cuda();
  clock_ = first_clock(device_, config_.clock, symbols_.empty(), has_tracer());
  if ((is_by_cupti(clock_) || clock_ == Clock::kEventSegments) && !has_tracer())
    throw Error("--clock {}: {}", name_of(config_.clock), solution_.no_tracer);
  result_.highest_clock_mhz = nlohmann::json::parse(result_.device.state).value("max_sm_clock_mhz", 0.0);
  attach();
  begin_ns_ = util::monotonic_ns();
  bool well = open_solution() && make_pilot_calls() && choose_clock() && settle_calls_so_far();
  well = make_planned_calls(well);
  result_.no_witness = solution_.no_tracer;
  // A machine that takes time from processes without counting it does so now and then; who lies does it
  // again.
  for (; well && attempt_ < kMostAttempts && unexplained_time(result_); ++attempt_) {
    runs_.clear();
    result_.witness_ms.clear();
    well = make_planned_calls(true);
  }
  well = well && times_are_believed();
  add_unclaimed_time(result_);
  well = well && conclude() && make_further_calls() && conclude();
  if (well) result_.status = Status::PASSED;
  complete_result();
  return std::move(result_);
}

// Unless something has failed, what the plan still lacks; then all of them are sorted into trials, whatever
// failed.
bool EvaluationRun::make_planned_calls(bool well) {
  const auto total = static_cast<std::uint64_t>(result_.plan.total());
  if (has_tracer() && !result_.plan.too_dear)
    looks_ = look_places(secret_,
                         fmt::format("{}{}{}", planned_.solution_sha256, planned_.workload->uuid, attempt_),
                         result_.plan);
  while (well && runs_.size() < total) well = make_calls(std::min(chunk(), total - runs_.size()));
  result_.clock = clock_;
  result_.overhead = overhead();
  sort_into_trials(runs_, solution_.is_guest, result_);
  return well;
}

void EvaluationRun::complete_result() {
  result_.engine = reference_.engine();
  result_.synthesized = workload_.synthesized;
  result_.sets = workload_.opened.inputs_fixed ? 1 : made_ - repeats_;
  result_.sets_shared = shared_;
  if (!workload_.reference_ms.empty()) result_.reference_ms = workload_.reference_ms;
  // Very few calls, or dear ones: a cold one is all there is.
  if (result_.reference_ms.empty() && workload_.cold_reference_ms)
    result_.reference_ms = {*workload_.cold_reference_ms};
  if (result_.inputs_changed > 0) {
    result_.note += fmt::format("{}the solution changed its inputs in {} of {} calls\n",
                                result_.note.empty() || result_.note.ends_with('\n') ? "" : "\n",
                                result_.inputs_changed, made_);
  }
  std::string remarks;
  if (!solution_.note.empty()) remarks += solution_.note + '\n';
  if (const auto added = about_added_time(result_)) remarks += *added + '\n';
  if (!workload_.synthesized.empty())
    remarks +=
        fmt::format("inputs made by --synthesize-missing: {}\n", fmt::join(workload_.synthesized, ", "));
  result_.note = remarks + result_.note;
  if (solution_.client) result_.output = solution_.client->take_output();
}

void EvaluationRun::attach() {
  reference_.start(*planned_.definition);
  result_.reference_on_cuda = device_.is_cuda() && reference_.on_device();
  const bool is_small = eval::is_small(layout());
  reference_door_ = judge_.attach({workload_.opened.workload, reference_.on_device() && !is_small});
  reference_.open(layout(), reference_door_);
  // What lies in host memory could be read, and computed with, by code on the host before the call: launch
  // plans have none.
  const bool on_device = symbols_.empty() || !is_small;
  solution_door_ = judge_.attach({workload_.opened.workload, on_device, true});
}

bool EvaluationRun::open_solution() {
  worker::Open request{layout(), {}};
  if (!symbols_.empty()) {
    try {
      const auto plan = compile::parse_launch_plan(*planned_.solution, *planned_.definition);
      request.plan =
          compile::resolve(plan, symbols_, model::axis_values(*planned_.definition, planned_.workload->axes));
    } catch (const Error& error) {
      return fail(Status::RUNTIME_ERROR, error.what());
    }
  }
  auto opened =
      timed([&](std::int64_t until) { return solution_.client->open(request, solution_door_, until); });
  if (const auto* failure = std::get_if<Failure>(&opened))
    return fail(*failure, "while the workload was opened");
  return true;
}

worker::SetId EvaluationRun::set_of(std::uint64_t call) const {
  if (workload_.opened.inputs_fixed) return {"", 0};
  return {shared_ ? "" : planned_.solution_sha256, call};
}

bool EvaluationRun::make_expected_until(std::uint64_t end) {
  const bool one_set = workload_.opened.inputs_fixed;
  if (one_set) end = 1;  // so the loop below is passed once
  const bool needed = eval::needs_expected(planned_.rule);
  if (needed ? std::max(made_, expected_until_) >= end : reference_timed_ || !config_.profile_baseline)
    return true;
  // What the solution does meanwhile would slow the reference down, which makes the solution look better.
  const Stopped stopped(*solution_.client);
  if (!needed) time_reference(result_.reference_ms);
  for (std::uint64_t call = std::max(made_, expected_until_); needed && call < end; ++call) {
    make_expected(set_of(call));
    expected_until_ = call + 1;
  }
  if (needed && one_set) time_reference(workload_.reference_ms);
  return true;
}

ReferenceRunner::Timed EvaluationRun::call_reference(const worker::SetId& set) {
  judge_.fill(reference_door_.door, set);
  auto timed = reference_.call(layout());
  if (timed.cold) workload_.cold_reference_ms = in_ms(timed.ns);
  auto& calls = workload_.reference_calls;
  if (!timed.cold && calls.size() < kReferenceCalls) calls.push_back(timed.ran);
  return timed;
}

// What a call takes beside the work: nothing is known on a device where the reference does not run there.
std::optional<Overhead> EvaluationRun::overhead() const {
  if (device_.is_cuda() && !reference_.on_device()) return std::nullopt;
  auto overhead = overhead_of(workload_.reference_calls);
  if (overhead && solution_.is_guest && !reference_.on_device())
    overhead = for_guest(*overhead, layout().inputs.size() + layout().outputs.size());
  return overhead;
}

void EvaluationRun::make_expected(const worker::SetId& set) {
  // Only sets that others use too may be known already.
  if (set.solution_sha256.empty() && judge_.knows(reference_door_.door, set)) return;
  const auto timed = call_reference(set);
  if (timed.tied_rows > 0) workload_.tied_sets.insert(set);
  auto& times = set.solution_sha256.empty() ? workload_.reference_ms : result_.reference_ms;
  if (!timed.cold && times.size() < static_cast<std::size_t>(config_.iterations))
    times.push_back(in_ms(timed.ns));
  judge_.keep(reference_door_.door, set);
}

// A few calls for their time alone: where outputs are not compared with the reference's, and, for the first
// solution, where there is one set and so one expected output. A call that is known to be too dear is not
// made again.
void EvaluationRun::time_reference(std::vector<double>& times) {
  reference_timed_ = true;
  if (!config_.profile_baseline || !times.empty()) return;
  const double budget_ms = 1e3 * kReferenceShare * config_.call_budget_s;
  const std::int64_t begin = util::monotonic_ns();
  for (std::uint64_t call = 0; call < kTimedReferenceCalls; ++call) {
    const double next_ms = workload_.cold_reference_ms.value_or(0);
    if (in_ms(util::monotonic_ns() - begin) + next_ms > budget_ms) return;
    const auto timed = call_reference(set_of(call));
    if (!timed.cold) times.push_back(in_ms(timed.ns));
  }
}

bool EvaluationRun::is_in_budget() const {
  const auto budget_ns = static_cast<std::int64_t>(config_.call_budget_s * 1e9);
  return util::monotonic_ns() - begin_ns_ < budget_ns;
}

// Calls that nobody times, for a rule that judges all calls together and has seen too few.
bool EvaluationRun::make_further_calls() {
  if (!make_repeated_calls()) return false;
  while (made_ - repeats_ < workload_.opened.calls_wanted && is_in_budget()) {
    if (!make_call(clock_)) return false;
  }
  return true;
}

// One at least, whatever it costs.
bool EvaluationRun::make_repeated_calls() {
  while (repeats_ < workload_.opened.repeats_wanted && (repeats_ == 0 || is_in_budget())) {
    ++repeats_;
    if (!make_call(clock_)) return false;
  }
  return true;
}

// Asked of the trials' calls alone, and of all: a solution can count.
bool EvaluationRun::conclude() {
  auto concluded = judge_.conclude(solution_door_.door);
  const auto& judgement = concluded.judgement;
  result_.judged = std::move(concluded.extra);
  result_.max_absolute_error = eval::worse(judgement.max_absolute_error, result_.max_absolute_error);
  result_.max_relative_error = eval::worse(judgement.max_relative_error, result_.max_relative_error);
  if (judgement.correct) return true;
  return refuse(Status::INCORRECT_NUMERICAL, "all calls: " + judgement.explanation);
}

// The first calls are like all others; what they cost decides how many more are made. The very first also
// pays for fresh memory, so a second one is asked before the plan is cut down.
bool EvaluationRun::make_pilot_calls() {
  const CallPlan wanted = result_.plan;
  for (int pilot = 0; pilot < 2; ++pilot) {
    const std::int64_t begin = util::monotonic_ns();
    if (!make_calls(1)) return false;
    result_.plan = wanted;
    const bool last = pilot == 1 || wanted.total() == 1;
    const double call_s = static_cast<double>(util::monotonic_ns() - begin) / 1e9;
    if (last || call_s * static_cast<double>(wanted.total()) <= config_.call_budget_s) {
      fit_plan(call_s);
      break;
    }
  }
  return true;
}

// Expected outputs are made ahead, so that the reference rests while calls are timed and looked at.
bool EvaluationRun::make_calls(std::uint64_t count) {
  const std::size_t end = runs_.size() + count;
  const auto looks = std::distance(looks_.lower_bound(runs_.size()), looks_.lower_bound(end));
  if (!make_expected_until(made_ + count + static_cast<std::uint64_t>(looks))) return false;
  for (std::uint64_t i = 0; i < count && runs_.size() < end; ++i) {
    if (looks_.erase(runs_.size()) > 0 && !make_witness_call()) return false;
    if (!make_counted_call()) return false;
  }
  return true;
}

std::optional<worker::WorkerClient::Ran> EvaluationRun::make_call(worker::Clock clock) {
  if (!make_expected_until(made_ + 1)) return std::nullopt;
  const worker::SetId set = set_of(made_ - repeats_);
  auto& client = *solution_.client;
  client.begin_call();
  judge_.fill(solution_door_.door, set);
  const auto failed = [&](const Failure& failure, const char* request) {
    fail(failure, request);
    return std::nullopt;
  };
  const auto ready = timed([&](std::int64_t until) { return client.prepare(clock, until); });
  if (const auto* failure = std::get_if<Failure>(&ready))
    return failed(*failure, "while the call was prepared");
  auto ran = timed([&](std::int64_t until) { return client.run(clock, until); });
  if (const auto* failure = std::get_if<Failure>(&ran)) return failed(*failure, "while the solution ran");
  auto& seen = std::get<worker::WorkerClient::Ran>(ran);
  if (!came_to_rest(seen.at_work)) return std::nullopt;
  if (seen.done.dropped && !is_by_cupti(clock)) {
    fail(Status::RUNTIME_ERROR, "the worker says that records are missing, which its clock has none of");
    return std::nullopt;
  }
  const auto collected = timed([&](std::int64_t until) { return client.collect(until); });
  if (const auto* failure = std::get_if<Failure>(&collected))
    return failed(*failure, "while outputs were collected");
  seen.beside = client.beside_last_call();
  if (!judge_call(set, std::get<worker::Collected>(collected))) return std::nullopt;
  if (!seen.done.dropped && !claim_is_possible(seen)) return std::nullopt;
  ++made_;
  return seen;
}

bool EvaluationRun::came_to_rest(worker::WatchedProcess::Worker at_work) {
  using Worker = worker::WatchedProcess::Worker;
  if (at_work == Worker::kThreads)
    return fail(Status::RUNTIME_ERROR,
                "threads of the solution keep running after the call has returned; they must sleep or end");
  if (at_work == Worker::kProcesses)
    return fail(Status::RUNTIME_ERROR,
                "processes of the solution keep running outside of its calls; they must sleep or end");
  return true;
}

bool EvaluationRun::make_counted_call() {
  const auto ran = make_call(clock_);
  if (!ran) return false;
  if (!is_discarded(ran->done)) {
    if (ran->done.dropped && !claim_is_possible(*ran)) return false;
    runs_.push_back(*ran);
  }
  covered_ = ran->done.covered;
  result_.segments = ran->done.segments;
  result_.empty_pair_ns = ran->done.empty_pair_ns;
  return true;
}

// Where there are events alone, the first calls have shown whether a call can be queued as a whole. Else
// another call shows by CUPTI what it does.
bool EvaluationRun::choose_clock() {
  if (!device_.is_cuda() || config_.clock != ClockChoice::kAuto) return true;
  if (!has_tracer()) {
    // A very first call may wait for its code to be loaded.
    if (!covered_ && !make_counted_call()) return false;
    if (!covered_) clock_ = Clock::kOpenEvents;
    return true;
  }
  auto probe = make_call(Clock::kCuptiConcurrent);
  // Lost records would hide streams.
  for (int more = 0; probe && probe->done.dropped && more < kMoreLooks; ++more)
    probe = make_call(Clock::kCuptiConcurrent);
  if (!probe) return false;
  result_.kernels = probe->done.kernels;
  result_.copies = probe->done.copies;
  result_.streams = probe->done.streams;
  return true;
}

// Calls by another clock than the chosen one count as warm-up at most: a solution that waits for the device
// runs into the end of the spin, which the chosen clock does without. Of the others those that are timed must
// be possible.
bool EvaluationRun::settle_calls_so_far() {
  const auto timed = runs_.begin() + std::min<std::ptrdiff_t>(result_.plan.warmup, std::ssize(runs_));
  if (clock_ == Clock::kOpenEvents) {
    runs_.erase(timed, runs_.end());
    return true;
  }
  for (auto ran = timed; ran != runs_.end(); ++ran) {
    const auto problem = impossible_claim(*ran, layout().output_bytes, device_.is_cuda());
    if (problem) return refuse(Status::RUNTIME_ERROR, "one of the first calls: " + *problem);
  }
  return true;
}

// Records of kernels one at a time are the truest, but for streams that work at the same time.
Clock EvaluationRun::witness_clock() const {
  if (is_by_cupti(clock_)) return Clock::kEventSegments;
  return result_.streams > 1 ? Clock::kCuptiConcurrent : Clock::kCuptiKernel;
}

bool EvaluationRun::make_witness_call() {
  result_.witness_clock = witness_clock();
  const auto ran = make_call(result_.witness_clock);
  if (!ran) return false;
  if (ran->done.dropped) return true;
  // How long the device was busy: where a call waits inside, a span has gaps of the host in it.
  const double seen_ns = is_by_cupti(result_.witness_clock) ? ran->done.busy_ns : ran->done.elapsed_ns;
  result_.witness_ms.push_back(in_ms(seen_ns));
  return true;
}

// Only as often as there are calls to make: a device that stays slow is measured as it is.
bool EvaluationRun::is_discarded(const worker::Done& done) {
  const bool slow = done.clock_mhz > 0 && done.clock_mhz < kSlowClock * result_.highest_clock_mhz;
  const auto limit = static_cast<std::uint64_t>(result_.plan.total());
  if (!(slow || done.dropped) || result_.slow_calls + result_.dropped_calls >= limit) return false;
  ++(slow ? result_.slow_calls : result_.dropped_calls);
  return true;
}

bool EvaluationRun::judge_call(const worker::SetId& set, const worker::Collected& collected) {
  if (collected.inputs_changed) ++result_.inputs_changed;
  const std::size_t least = eval::least_outputs(planned_.rule, layout().outputs.size());
  if (const auto problem = eval::check_claims(layout(), collected.outputs, least)) {
    return fail(problem->shape ? Status::INCORRECT_SHAPE : Status::INCORRECT_DTYPE, problem->text);
  }
  const auto judgement = judge_.compare(solution_door_.door, set, collected.outputs.size());
  result_.max_absolute_error = eval::worse(judgement.max_absolute_error, result_.max_absolute_error);
  result_.max_relative_error = eval::worse(judgement.max_relative_error, result_.max_relative_error);
  result_.matched_ratio = std::min(judgement.matched_ratio, result_.matched_ratio);
  if (!judgement.correct) return fail(Status::INCORRECT_NUMERICAL, judgement.explanation + about_ties(set));
  if (collected.inputs_changed && config_.strict_inputs) {
    return fail(Status::INCORRECT_NUMERICAL, "the solution changed its inputs (--strict-inputs)");
  }
  return true;
}

// Which of equals a router takes is not said by the definition; indexers are judged by their scores.
std::string EvaluationRun::about_ties(const worker::SetId& set) const {
  if (planned_.rule == eval::Rule::kDsaIndexer || !workload_.tied_sets.contains(set)) return {};
  return "\nthe reference's torch.topk took some of several equal values in this call; a solution that takes "
         "others differs";
}

void EvaluationRun::fit_plan(double call_s) {
  result_.plan = fit_calls(result_.plan, call_s, config_.call_budget_s);
  if (result_.plan.too_dear && !shared_ && !workload_.opened.inputs_fixed) {
    workload_.dear = true;
    workload_.dear_plan = result_.plan;
    // From the next call on; those made so far had sets of their own.
    shared_ = made_ < static_cast<std::uint64_t>(result_.plan.total());
    expected_until_ = made_;
  }
}

bool EvaluationRun::claim_is_possible(const worker::WorkerClient::Ran& ran) {
  const auto problem = impossible_claim(ran, layout().output_bytes, device_.is_cuda());
  return !problem || fail(Status::RUNTIME_ERROR, *problem);
}

bool EvaluationRun::times_are_believed() {
  auto problem = unexplained_time(result_);
  if (!problem) problem = disagreeing_clocks(result_);
  return !problem || refuse(Status::RUNTIME_ERROR, *problem);
}

bool EvaluationRun::refuse(Status status, const std::string& note) {
  result_.status = status;
  result_.note = note + '\n';
  return false;
}

bool EvaluationRun::fail(Status status, const std::string& note) {
  return refuse(status, fmt::format("call {}: {}", made_ + 1, note));
}

bool EvaluationRun::fail(const Failure& failure, const char* request) {
  if (failure.kind == Failure::Kind::kTimeout) {
    return fail(Status::TIMEOUT, fmt::format("no answer {}; the evaluation took longer than {} s (--timeout)",
                                             request, config_.timeout_s));
  }
  return fail(Status::RUNTIME_ERROR, fmt::format("{} {}", failure.text, request));
}

std::int64_t EvaluationRun::deadline() const {
  return util::monotonic_ns() + static_cast<std::int64_t>(config_.timeout_s * 1e9) - spent_ns_;
}

std::uint64_t EvaluationRun::chunk() const {
  const std::uint64_t bytes = std::max<std::uint64_t>(1, layout().output_bytes);
  return std::clamp<std::uint64_t>(config_.memory_budget_bytes / bytes, 1, kLargestChunk);
}

}  // namespace fib::bench
