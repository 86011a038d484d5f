#include "bench/strength_check.h"

#include <algorithm>
#include <memory>

#include "bench/input_files.h"
#include "bench/reference_runner.h"
#include "eval/rule.h"
#include "util/machine.h"
#include "worker/host_door.h"

namespace fib::bench {
namespace {

using worker::Bytes;

// No solution runs here that could learn anything from it.
constexpr const char* kStrengthCheckSecret = "fib validate --checks workload-strength";
constexpr std::uint64_t kSets = 2;

// What the reference makes of one set of inputs.
struct Expected {
  Bytes outputs;
  Bytes lowered;  // of inputs with fewer bits; empty: no input has any to spare
};

class StrengthCheck {
 public:
  StrengthCheck(const DeviceProcesses& processes, const RunConfig& config)
      : processes_(processes), config_(config), reference_(processes, ReferenceEngine::kNative) {}

  StrengthOutcome run(const EngineCase& one) {
    StrengthOutcome outcome;
    try {
      judge(one, outcome);
    } catch (const ReferenceError& error) {
      outcome.problem = error.what();
      outcome.passed.clear();
    } catch (const Error& error) {
      outcome.problem = error.what();
      outcome.passed.clear();
      judge_.reset();  // it may be what failed
    }
    return outcome;
  }

 private:
  // A judge keeps what it has opened, so each definition has its own.
  worker::JudgeClient& judge_of(const model::Definition& definition) {
    if (judge_ && definition_ == &definition) return *judge_;
    definition_ = &definition;
    judge_ = start_judge(processes_);
    return *judge_;
  }

  void judge(const EngineCase& one, StrengthOutcome& outcome) {
    auto document = document_of(*one.definition, one.workload, one.root);
    document.secret = kStrengthCheckSecret;
    document.rule = one.rule;
    document.tolerance = tolerance_of(config_for(config_, *one.definition, one.workload), one.workload,
                                      eval::usual_matched_ratio(document.rule, *one.definition));
    document.memory_budget_bytes = util::physical_memory() / 8;  // as a run has it
    outcome.tolerance = document.tolerance;
    outcome.made = document.made;
    auto& judge = judge_of(*one.definition);
    const auto opened = judge.open(document);
    const auto sets = sets_of(opened);
    const bool needs_expected = eval::needs_expected(document.rule);
    std::vector<Expected> expected(sets.size());
    if (needs_expected) {
      reference_.start(*one.definition);
      const worker::AttachedDoor door(judge, {opened.workload});
      for (std::size_t i = 0; i < sets.size(); ++i)
        expected[i] = make_expected(judge, door, opened.layout, sets[i]);
      for (std::size_t i = 0; i < sets.size(); ++i)
        expected[i].lowered = make_lowered(judge, door, opened.layout, sets[i]);
    }
    const auto outputs = outputs_of(opened.layout, needs_expected);
    for (const auto answer : eval::kAllNullAnswers) {
      for (const auto& some : outputs) {
        if (!passes(answer, some, judge, opened, sets, expected)) continue;
        const bool is_one_of_many = outputs.size() > 1;
        outcome.passed.push_back({answer, is_one_of_many ? opened.layout.outputs[some.front()].name : ""});
      }
    }
  }

  // Which outputs are answered together: one, beside right ones; without right ones all.
  static std::vector<std::vector<std::size_t>> outputs_of(const eval::Layout& layout, bool needs_expected) {
    std::vector<std::vector<std::size_t>> outputs;
    for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
      if (needs_expected || outputs.empty()) outputs.emplace_back();
      outputs.back().push_back(i);
    }
    return outputs;
  }

  static std::vector<worker::SetId> sets_of(const worker::JudgeOpened& opened) {
    const std::uint64_t count = opened.inputs_fixed ? 1 : std::max(kSets, opened.calls_wanted);
    std::vector<worker::SetId> sets;
    for (std::uint64_t i = 0; i < count; ++i) sets.push_back({"", i});
    return sets;
  }

  Expected make_expected(worker::Judge& judge, const worker::AttachedDoor& door, const eval::Layout& layout,
                         const worker::SetId& set) {
    reference_.open(layout, door.fds());
    judge.fill(door.number(), {set});
    (void)reference_.calls(layout, 1, 1);
    judge.keep(door.number(), {set});
    return {worker::copy_outputs(door.fds(), layout), {}};
  }

  // In buffers of its own: nobody writes to a door's inputs but the judge.
  Bytes make_lowered(worker::Judge& judge, const worker::AttachedDoor& door, const eval::Layout& layout,
                     const worker::SetId& set) {
    judge.fill(door.number(), {set});
    Bytes inputs = worker::copy_inputs(door.fds(), layout);
    if (!eval::lower_precision(layout, inputs.data())) return {};
    const auto own = worker::make_host_door(layout, inputs);
    reference_.open(layout, own);
    (void)reference_.calls(layout, 1, 1);
    return worker::copy_outputs(own, layout);
  }

  // Whether there is such an answer, and the judge finds no fault with it.
  bool passes(eval::NullAnswer answer, const std::vector<std::size_t>& which, worker::Judge& judge,
              const worker::JudgeOpened& opened, const std::vector<worker::SetId>& sets,
              const std::vector<Expected>& expected) {
    const eval::Layout& layout = opened.layout;
    const worker::AttachedDoor door(judge, {opened.workload, false, true});
    const auto data = [](const Bytes& bytes) { return bytes.empty() ? nullptr : bytes.data(); };
    for (std::size_t i = 0; i < sets.size(); ++i) {
      judge.fill(door.number(), {sets[i]});
      if (!expected[i].outputs.empty() && !judge.knows(door.number(), sets[i]))
        throw Error("its expected outputs take too much memory");
      const Bytes inputs = worker::copy_inputs(door.fds(), layout);
      Bytes outputs =
          expected[i].outputs.empty() ? worker::copy_outputs(door.fds(), layout) : expected[i].outputs;
      for (const std::size_t output : which) {
        if (!write_null_answer(answer, layout, output, data(inputs), data(expected[i].outputs),
                               data(expected[i].lowered), outputs.data()))
          return false;
      }
      worker::write_outputs(door.fds(), layout, outputs);
      if (!judge.compare(door.number(), sets[i], layout.outputs.size(), std::nullopt).correct) return false;
    }
    return judge.conclude(door.number()).judgement.correct;
  }

  const DeviceProcesses& processes_;
  const RunConfig& config_;
  ReferenceRunner reference_;
  std::unique_ptr<worker::JudgeClient> judge_;
  const model::Definition* definition_ = nullptr;
};

}  // namespace

std::vector<StrengthOutcome> check_strength(Session& session, const std::vector<EngineCase>& cases,
                                            const RunConfig& config, const EngineCheckObserver& observer) {
  const LaneDevice& device = session.environment().devices.front();
  session.begin(config);
  if (!session.take(device, observer.waiting, [&] { return session.interrupted().load(); })) return {};
  const DeviceProcesses processes = session.processes(device, config.flush);
  StrengthCheck check(processes, config);
  std::vector<StrengthOutcome> outcomes;
  for (const auto& one : cases) {
    if (session.interrupted()) break;
    observer.started(one, outcomes.size());
    auto outcome = check.run(one);
    if (session.interrupted()) break;  // its children may have been killed
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace fib::bench
