#include "bench/calls.h"

#include <algorithm>
#include <utility>

#include "bench/claims.h"
#include "bench/stopwatch.h"
#include "compile/launch_plan.h"
#include "eval/evaluator.h"

namespace fib::bench {

using model::ErrorCode;
using model::Status;
using worker::CallTimes;
using worker::Failure;

namespace {

// One call of so many is watched exactly, for what the worker's other threads usually use of the CPUs.
constexpr std::uint64_t kExactOf = 8;
// Of what a worker says of a launch.
constexpr std::size_t kLongestReason = 500;

// What lies in host memory could be read, and computed with, by code on the host before the call: launch
// plans have none.
worker::Attach solutions_door(const EvaluationParts& parts) {
  const bool on_device = parts.has_host_code() || !eval::is_small(parts.layout());
  // While the calls are timed, too, so that a solution cannot tell these buffers from those in which calls
  // are counted.
  const bool has_private = parts.device.is_cuda() && parts.has_host_code();
  return {parts.workload.opened.workload, on_device, true, 1, has_private};
}

[[noreturn]] void fail_in(std::uint64_t number, model::Status status, const std::string& note,
                          FailureFacts facts) {
  facts.call = number;
  throw Failed{status, fmt::format("call {}: {}", number, note), std::move(facts)};
}

ErrorCode code_of(const eval::Judgement& judgement, eval::Rule rule) {
  if (judgement.mismatch && judgement.mismatch->unwritten > 0) return ErrorCode::unwritten_output;
  return eval::error_code_of(rule);
}

}  // namespace

void Correctness::add_errors(const eval::Judgement& judgement) {
  max_absolute_error = eval::worse(judgement.max_absolute_error, max_absolute_error);
  max_relative_error = eval::worse(judgement.max_relative_error, max_relative_error);
}

Calls::Calls(const EvaluationParts& parts, ExpectedOutputs& expected, std::uint64_t made, std::uint64_t sets)
    : parts_(parts),
      expected_(expected),
      door_request_(solutions_door(parts)),
      door_(parts.judge, door_request_),
      made_(made),
      sets_(sets) {}

template <typename T, typename Request>
T Calls::ask(Request request, const char* what) {
  const std::int64_t begin = parts_.now_ns();
  auto answer = request(begin + static_cast<std::int64_t>(parts_.config.timeout_s * 1e9) - spent_ns_);
  spent_ns_ += parts_.now_ns() - begin;
  const auto* failure = std::get_if<Failure>(&answer);
  if (failure != nullptr && failure->kind == Failure::Kind::kTimeout)
    fail(Status::TIMEOUT,
         fmt::format("no answer {}; the evaluation took longer than {} s (--timeout)", what,
                     parts_.config.timeout_s),
         facts_of_run(*failure, parts_.device.is_cuda()));
  if (failure != nullptr)
    fail(Status::RUNTIME_ERROR, fmt::format("{} {}", failure->text, what),
         facts_of_run(*failure, parts_.device.is_cuda()));
  return std::get<T>(std::move(answer));
}

void Calls::open() { open_at(door_); }

void Calls::open_at(const worker::AttachedDoor& door) {
  worker::Open request{parts_.layout(), {}};
  request.is_solutions = true;
  if (!parts_.has_host_code()) {
    const auto& planned = parts_.planned;
    try {
      request.plan =
          compile::resolve(compile::parse_launch_plan(*planned.solution, *planned.definition), parts_.symbols,
                           model::axis_values(*planned.definition, planned.workload->axes));
    } catch (const Error& error) {
      fail(Status::RUNTIME_ERROR, error.what(), {code_of_launch_plan(error.what())});
    }
  }
  (void)ask<bool>([&](std::int64_t until) { return parts_.worker.open(request, door.fds(), until); },
                  "while the workload was opened");
}

CallTimes Calls::make(worker::Clock clock) {
  {
    const Stopwatch waiting(parts_, reference_ns_);
    expected_.make(sets_, 1);
  }
  auto times = make_on(sets_, clock);
  ++sets_;
  return times;
}

CallTimes Calls::repeat(worker::Clock clock) { return make_on(sets_ - 1, clock); }

CallTimes Calls::make_on(std::uint64_t call, worker::Clock clock) {
  const auto set = expected_.set_of(call);
  parts_.worker.begin_call(usual_prepare_ns(), parts_.counts_work && made_ % kExactOf == 0);
  if (filled_ != set) {
    const Stopwatch judging(parts_, judging_ns_);
    parts_.judge.fill(door_.number(), {set});
  }
  CallTimes times;
  UnjudgedCall made{set, made_ + 1, run_and_collect(clock, times)};
  made.refused_launch = times.done.refused_launch;
  check_outputs(made);
  const auto next = filled_ahead(call + 1);
  const auto judgement = [&] {
    const Stopwatch judging(parts_, judging_ns_);
    return parts_.judge.compare(door_.number(), set, made.collected.outputs.size(), next);
  }();
  filled_ = next;
  judge(made, judgement);
  parts_.worker.end_call();
  times.beside = parts_.worker.beside_last_call();
  if (!times.done.dropped) check_claim(times);
  ++made_;
  return times;
}

worker::SetId Calls::fill(const worker::AttachedDoor& door, std::uint64_t set_number) {
  auto set = expected_.set_of(set_number);
  const Stopwatch judging(parts_, judging_ns_);
  parts_.judge.fill_private(door.number(), set);
  return set;
}

UnjudgedCall Calls::make_at(const worker::AttachedDoor& door, const worker::SetId& set) {
  parts_.worker.begin_call(usual_prepare_ns(), true);
  open_at(door);
  CallTimes times;
  UnjudgedCall call{set, made_ + 1, run_and_collect(worker::Clock::kCounters, times)};
  call.refused_launch = times.done.refused_launch;
  parts_.judge.sample_private(door.number());
  parts_.worker.end_call();
  times.beside = parts_.worker.beside_last_call();
  call.wall_ms = wall_without_waiting_ms(times);
  call.others_ms = others_ms(times);
  times.beside.exact_others_ns.reset();
  call.lagging_others_ms = others_ms(times);
  ++made_;
  ++sets_;
  return call;
}

void Calls::judge_at(const worker::AttachedDoor& door, const UnjudgedCall& call) {
  check_outputs(call);
  const Stopwatch judging(parts_, judging_ns_);
  judge(call, parts_.judge.compare_private(door.number(), call.set, call.collected.outputs.size()));
}

// As far as the reference's calls have told: after some dozen they tell nothing new.
std::int64_t Calls::usual_prepare_ns() {
  constexpr std::uint64_t kTelling = 32;
  if (parts_.device.is_cuda() || made_ >= kTelling) return usual_prepare_ns_;
  const auto overhead = expected_.overhead();
  const double usual_ms = overhead ? overhead->prepare_ms + overhead->slack_ms : 0;
  usual_prepare_ns_ = static_cast<std::int64_t>(usual_ms * 1e6);
  return usual_prepare_ns_;
}

// The set of this call, where the judge can fill it while it judges the call before: nothing is to be made in
// between, and no code on the host sees the inputs before the watch over what it does has begun.
std::optional<worker::SetId> Calls::filled_ahead(std::uint64_t call) const {
  if (parts_.has_host_code() || !expected_.are_made(call)) return std::nullopt;
  return expected_.set_of(call);
}

worker::Collected Calls::run_and_collect(worker::Clock clock, CallTimes& times) {
  using Worker = worker::WatchedProcess::Worker;
  auto& worker = parts_.worker;
  (void)ask<bool>([&](std::int64_t until) { return worker.prepare(clock, until); },
                  "while the call was prepared");
  times =
      ask<CallTimes>([&](std::int64_t until) { return worker.run(clock, until); }, "while the solution ran");
  if (times.at_work == Worker::kThreads)
    fail(Status::RUNTIME_ERROR,
         "threads of the solution keep running after the call has returned; they must sleep or end",
         {ErrorCode::work_outside_call});
  if (times.at_work == Worker::kProcesses)
    fail(Status::RUNTIME_ERROR,
         "processes of the solution keep running outside of its calls; they must sleep or end",
         {ErrorCode::work_outside_call});
  if (times.done.dropped && !is_by_cupti(clock))
    fail(Status::RUNTIME_ERROR, "the worker says that records are missing, which its clock has none of",
         {ErrorCode::broken_protocol});
  auto collected = ask<worker::Collected>([&](std::int64_t until) { return worker.collect(until); },
                                          "while outputs were collected");
  return collected;
}

void Calls::check_outputs(const UnjudgedCall& call) {
  if (call.collected.inputs_changed) ++correctness_.inputs_changed;
  const auto& layout = parts_.layout();
  const std::size_t least = eval::least_outputs(parts_.planned.rule, layout.outputs.size());
  if (const auto problem = eval::check_claims(layout, call.collected.outputs, least))
    fail_in(call.number, problem->shape ? Status::INCORRECT_SHAPE : Status::INCORRECT_DTYPE, problem->text,
            {problem->shape ? ErrorCode::wrong_shape : ErrorCode::wrong_dtype});
}

void Calls::judge(const UnjudgedCall& call, const eval::Judgement& judgement) {
  correctness_.add_errors(judgement);
  correctness_.matched_ratio = std::min(judgement.matched_ratio, correctness_.matched_ratio);
  // What was written another kernel has written, in place of one that was refused.
  const bool is_unwritten = judgement.mismatch && judgement.mismatch->unwritten > 0;
  const bool was_refused = parts_.device.is_cuda() && !call.refused_launch.empty();
  if (!judgement.correct && is_unwritten && was_refused)
    fail_in(call.number, Status::RUNTIME_ERROR, call.refused_launch.substr(0, kLongestReason),
            facts_of_run({Failure::Kind::kRefused, call.refused_launch}, true));
  if (!judgement.correct)
    fail_in(call.number, Status::INCORRECT_NUMERICAL, judgement.explanation + about_ties(parts_, call.set),
            {code_of(judgement, parts_.planned.rule), {}, judgement.mismatch});
  if (call.collected.inputs_changed && parts_.config.strict_inputs)
    fail_in(call.number, Status::INCORRECT_NUMERICAL, "the solution changed its inputs (--strict-inputs)",
            {ErrorCode::changed_inputs});
}

void Calls::check_claim(const CallTimes& times) const {
  if (const auto problem = impossible_claim(times, parts_.layout().output_bytes, parts_.device.is_cuda()))
    fail(Status::RUNTIME_ERROR, *problem, {ErrorCode::impossible_time});
}

worker::Concluded Calls::conclude() {
  const Stopwatch judging(parts_, judging_ns_);
  auto concluded = parts_.judge.conclude(door_.number());
  correctness_.add_errors(concluded.judgement);
  return concluded;
}

Waited Calls::waited() const {
  return {util::in_ms(spent_ns_), util::in_ms(judging_ns_), util::in_ms(reference_ns_)};
}

void Calls::fail(model::Status status, const std::string& note, FailureFacts facts) const {
  fail_in(made_ + 1, status, note, std::move(facts));
}

}  // namespace fib::bench
