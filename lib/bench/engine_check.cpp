#include "bench/engine_check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "bench/input_files.h"
#include "bench/reference_runner.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

constexpr std::uint64_t kCalls = 2;
// No solution runs here that could learn anything from it.
constexpr const char* kEngineCheckSecret = "fib validate --checks reference";

// One engine and what is known of it.
struct Engine {
  ReferenceRunner runner;
  std::string description{};
  std::string broken{};  // why it cannot load the current definition's reference
};

// Where an engine runs one workload; nothing until it is known that it can.
using Door = std::optional<worker::AttachedDoor>;

class EngineCheck {
 public:
  explicit EngineCheck(const DeviceProcesses& processes)
      : processes_(processes),
        native_{ReferenceRunner(processes, ReferenceEngine::kNative)},
        python_{ReferenceRunner(processes, ReferenceEngine::kPython)} {}

  EngineOutcome run(const EngineCase& one) {
    if (definition_ != one.definition) begin(*one.definition);
    EngineOutcome outcome;
    try {
      compare(one, outcome);
    } catch (const Error& error) {
      outcome.problem = error.what();
      judge_.reset();  // it may be what failed
    }
    return outcome;
  }

  [[nodiscard]] const std::string& native() const { return native_.description; }
  [[nodiscard]] const std::string& python() const { return python_.description; }

 private:
  // A judge keeps what it has opened, so each definition has its own.
  void begin(const model::Definition& definition) {
    definition_ = &definition;
    judge_.reset();
    native_.broken.clear();
    python_.broken.clear();
  }

  worker::JudgeClient& judge() {
    if (!judge_) judge_ = start_judge(processes_);
    return *judge_;
  }

  worker::JudgeOpened open(const EngineCase& one, std::vector<std::string>& made) {
    auto document = document_of(*one.definition, one.workload, one.root);
    document.secret = kEngineCheckSecret;
    made = document.made;
    return judge().open(document);
  }

  void compare(const EngineCase& one, EngineOutcome& outcome) {
    const auto opened = open(one, outcome.made);
    Door native_door;
    Door python_door;
    bool native = ready(native_, *one.definition, opened, native_door, outcome.native);
    bool python = ready(python_, *one.definition, opened, python_door, outcome.python);
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      const worker::SetId set{"", opened.inputs_fixed ? 0 : i};
      native = native && call(native_, *native_door, opened.layout, set, outcome.native);
      python = python && call(python_, *python_door, opened.layout, set, outcome.python);
      if (native && python) add_differences(*native_door, *python_door, opened.layout, outcome.outputs);
    }
    if (!native || !python) outcome.outputs.clear();
  }

  // Makes sure that the engine runs the definition's reference on the workload.
  bool ready(Engine& engine, const model::Definition& definition, const worker::JudgeOpened& opened,
             Door& door, EngineOutcome::Engine& outcome) {
    outcome.error = engine.broken;
    if (!engine.broken.empty()) return false;
    try {
      engine.runner.start(definition);
    } catch (const ReferenceError& error) {
      engine.broken = error.what();
      outcome.error = engine.broken;
      return false;
    }
    engine.description = engine.runner.engine();
    door.emplace(judge(), worker::Attach{opened.workload, engine.runner.on_device()});
    try {
      engine.runner.open(opened.layout, door->fds());
    } catch (const ReferenceError& error) {
      outcome.error = error.what();
    }
    return outcome.error.empty();
  }

  bool call(Engine& engine, const worker::AttachedDoor& door, const eval::Layout& layout,
            const worker::SetId& set, EngineOutcome::Engine& outcome) {
    judge().fill(door.number(), {set});
    try {
      const auto timed = engine.runner.calls(layout, 1, 1).front();
      const double call_ms = util::in_ms(timed.ns);
      outcome.best_ms = outcome.best_ms == 0 ? call_ms : std::min(outcome.best_ms, call_ms);
      outcome.tied_rows = std::max(outcome.tied_rows, timed.tied_rows);
    } catch (const ReferenceError& error) {
      outcome.error = error.what();
    }
    return outcome.error.empty();
  }

  void add_differences(const worker::AttachedDoor& native, const worker::AttachedDoor& python,
                       const eval::Layout& layout, std::vector<EngineOutcome::Output>& outputs) {
    const auto found = judge().differ(native.number(), python.number());
    if (found.size() != layout.outputs.size()) throw Error("the judge compared {} outputs", found.size());
    const bool first = outputs.empty();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (first) {
        outputs.push_back({layout.outputs[i].name, layout.outputs[i].shape, found[i]});
      } else {
        outputs[i].difference = eval::worst_of(outputs[i].difference, found[i]);
      }
    }
  }

  const DeviceProcesses& processes_;
  std::unique_ptr<worker::JudgeClient> judge_;
  const model::Definition* definition_ = nullptr;
  Engine native_;
  Engine python_;
};

}  // namespace

EngineReport check_engines(Session& session, const std::vector<EngineCase>& cases,
                           const EngineCheckObserver& observer) {
  const RunConfig config;
  const LaneDevice& device = session.environment().devices.front();
  session.begin(config);
  if (!session.take(device, observer.waiting, [&] { return session.interrupted().load(); })) return {};
  std::set<const model::Definition*> definitions;
  for (const auto& one : cases) definitions.insert(one.definition);
  session.prepare({definitions.size()});
  session.begin_measuring();
  const DeviceProcesses processes = session.processes(device, config.flush);
  EngineCheck check(processes);
  EngineReport report;
  for (const auto& one : cases) {
    if (session.interrupted()) break;
    observer.started(one, report.outcomes.size());
    auto outcome = check.run(one);
    if (session.interrupted()) break;  // its children may have been killed
    report.outcomes.push_back(std::move(outcome));
  }
  report.native = check.native();
  report.python = check.python();
  return report;
}

}  // namespace fib::bench
