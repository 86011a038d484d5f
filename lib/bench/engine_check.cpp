#include "bench/engine_check.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "bench/build_pool.h"
#include "bench/cores.h"
#include "bench/device_lock.h"
#include "bench/input_files.h"
#include "bench/interrupt_watch.h"
#include "bench/reference_runner.h"
#include "bench/solution_files.h"
#include "synthesis/inputs.h"
#include "util/clock.h"
#include "util/files.h"
#include "util/machine.h"

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

// How interpreters are started.
struct Preparation {
  worker::GuestSetup guest;
  unsigned ahead = 0;
  std::size_t expected = 0;
};

// Ahead on cores of their own beside a GPU, as in a run: one for each definition.
Preparation prepare(const std::vector<EngineCase>& cases, const EngineCheckSetup& setup,
                    worker::Spawner& spawner) {
  Preparation preparation;
  preparation.guest.python = setup.python.path;
  preparation.guest.device_uuid = setup.device.uuid;
  const auto shares = share_cores(1);
  if (!setup.device.is_cuda() || !shares) return preparation;
  std::set<const model::Definition*> definitions;
  for (const auto& one : cases) definitions.insert(one.definition);
  preparation.guest.cores = shares->preparing;
  preparation.guest.cores_when_used = shares->lanes;
  preparation.ahead = static_cast<unsigned>(shares->preparing.size());
  preparation.expected = definitions.size();
  run_on(spawner.keeper_pid(), shares->lanes);
  run_on(::getpid(), shares->lanes);
  return preparation;
}

class EngineCheck {
 public:
  EngineCheck(const EngineCheckSetup& setup, worker::Spawner& spawner, const worker::ChildSetup& children,
              const worker::UseDevice& device, const Preparation& preparation)
      : setup_(setup),
        spawner_(spawner),
        children_(children),
        device_(device),
        bytecode_(setup.python, preparation.guest.packages, setup.cache),
        guests_(spawner, children, preparation.guest, &bytecode_),
        native_{ReferenceRunner({spawner, children, util::usable_cores(), ReferenceEngine::kNative, device})},
        python_{ReferenceRunner(
            {spawner, children, util::usable_cores(), ReferenceEngine::kPython, device, &guests_})} {
    guests_.expect(preparation.expected, preparation.ahead);
  }

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
    if (judge_) return *judge_;
    judge_ = std::make_unique<worker::JudgeClient>(spawner_, children_);
    if (device_.is_cuda()) judge_->use(device_);
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
      const auto timed = engine.runner.calls(layout, 1).front();
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

  const EngineCheckSetup& setup_;
  worker::Spawner& spawner_;
  const worker::ChildSetup& children_;
  worker::UseDevice device_;
  PackageBytecode bytecode_;
  GuestPool guests_;
  std::unique_ptr<worker::JudgeClient> judge_;
  const model::Definition* definition_ = nullptr;
  Engine native_;
  Engine python_;
};

}  // namespace

EngineReport check_engines(const std::vector<EngineCase>& cases, const EngineCheckSetup& setup,
                           const EngineCheckObserver& observer, const std::atomic<bool>& interrupted) {
  worker::Spawner spawner(setup.program);
  const util::TemporaryFolder temporary(std::filesystem::temp_directory_path(), "fib-validate-");
  spawner.remove_at_end(temporary.path());
  const InterruptWatch watch(interrupted, spawner);
  worker::ChildSetup children{setup.program, temporary.path()};
  children.files = files_of_solutions({}, setup.device.kind, std::nullopt);  // guests know their packages
  const auto lock = take_device(setup.device, spawner, observer.waiting, [&] { return interrupted.load(); });
  if (!lock) return {};
  worker::UseDevice device;
  if (setup.device.is_cuda()) {
    device.uuid = setup.device.uuid;
    device.kernels_path =
        build_device_kernels(spawner, children, setup.device.architecture, setup.cache).string();
  }
  EngineCheck check(setup, spawner, children, device, prepare(cases, setup, spawner));
  EngineReport report;
  for (const auto& one : cases) {
    if (interrupted) break;
    observer.started(one, report.outcomes.size());
    auto outcome = check.run(one);
    if (interrupted) break;  // its children may have been killed
    report.outcomes.push_back(std::move(outcome));
  }
  report.native = check.native();
  report.python = check.python();
  return report;
}

}  // namespace fib::bench
