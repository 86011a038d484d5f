#include "bench/reference_runner.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "bench/python_code.h"
#include "bench/sealed_file.h"
#include "eval/evaluator.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

// What the native engine says of what it does not run, and torch may.
constexpr std::string_view kUnsupported = "supported by the native reference engine";

constexpr std::int64_t kCallLimitNs = std::int64_t{600} * 1'000'000'000;

constexpr int kColdCalls = 2;

constexpr std::int64_t kTogetherNs = 1'000'000'000;

// Of an answer to Calls, for each call: Done and Collected (worker_messages.h), with as much again for shapes
// that are not as they should be.
std::uint64_t answer_bytes(const eval::Layout& layout) {
  std::uint64_t bytes = 128;
  for (const auto& slot : layout.outputs) bytes += 2 * (8 + 8 * slot.shape.size());
  return bytes;
}

std::int64_t deadline() { return util::monotonic_ns() + kCallLimitNs; }

}  // namespace

template <typename T>
T ReferenceRunner::expect(worker::Answer<T> answer) {
  if (auto* value = std::get_if<T>(&answer)) return std::move(*value);
  const auto& failure = std::get<worker::Failure>(answer);
  std::string text = failure.text;
  if (failure.kind != worker::Failure::Kind::kRefused || runs_python_) text += "\n" + worker_->take_output();
  if (failure.kind != worker::Failure::Kind::kRefused) {
    worker_.reset();
    definition_ = nullptr;
  }
  const bool is_unsupported = !runs_python_ && text.find(kUnsupported) != std::string::npos;
  if (is_unsupported && wanted_ == ReferenceEngine::kAuto && !processes_.no_torch.empty())
    text += fmt::format(" (torch may run it: {})", processes_.no_torch);
  // Nobody kills a process for what it computes, but for the memory that it takes.
  const bool was_killed =
      failure.kind == worker::Failure::Kind::kDied && failure.text.find("SIGKILL") != std::string::npos;
  throw ReferenceError("the reference failed: " + text, is_unsupported
                                                            ? model::ObstacleCode::unsupported_reference
                                                        : was_killed ? model::ObstacleCode::machine_error
                                                                     : model::ObstacleCode::reference_failed);
}

bool ReferenceRunner::wants_python() const {
  if (wanted_ == ReferenceEngine::kNative || !python_failed_.empty()) return false;
  const bool has_torch = processes_.guests != nullptr && processes_.no_torch.empty();
  if (!has_torch && wanted_ == ReferenceEngine::kPython)
    throw ReferenceError("--reference python: " + processes_.no_torch, model::ObstacleCode::missing_tool);
  return has_torch;
}

bool ReferenceRunner::is_ready(const model::Definition& definition) const {
  return definition_ == &definition && worker_ && worker_->alive();
}

void ReferenceRunner::begin(const model::Definition& definition) {
  if (ready_.valid() || is_ready(definition)) return;
  try {
    ready_ = std::async(std::launch::async, [this, &definition] { start_worker(definition); });
    begun_ = &definition;
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): a solution may have all threads
  }
}

void ReferenceRunner::await() const {
  if (ready_.valid()) ready_.wait();
}

// What was begun for another definition is of no interest, nor why it failed.
void ReferenceRunner::start(const model::Definition& definition) {
  bool is_begun = false;
  if (ready_.valid()) {
    try {
      ready_.get();
      is_begun = begun_ == &definition;
    } catch (const std::exception&) {
      if (begun_ == &definition) throw;
    }
  }
  if (is_ready(definition)) return;
  if (!is_begun) start_worker(definition);
  if (runs_python_) load_python(definition);
  definition_ = &definition;
}

std::unique_ptr<worker::WorkerClient> ReferenceRunner::give_up() {
  await();
  if (worker_) worker_->kill();
  return std::move(worker_);
}

void ReferenceRunner::start_worker(const model::Definition& definition) {
  definition_ = nullptr;
  worker_.reset();
  runs_python_ = wants_python();
  if (runs_python_) {
    start_python(definition);
  } else {
    start_native(definition);
  }
}

void ReferenceRunner::start_python(const model::Definition& definition) {
  processes_.next->reference.end();  // it would hold memory of the device in vain
  try {
    worker_ = processes_.guests->take();
    worker_->set_role(kReferencesWorker);
  } catch (const BrokenTorch& error) {
    return start_without_torch(definition, error.what());
  }
  const auto& device = processes_.device;
  auto started = worker_->start(python_start(device, processes_.threads), deadline(), kernels_beside(device));
  const auto* failure = std::get_if<worker::Failure>(&started);
  if (failure != nullptr && failure->text.starts_with(worker::kNoDeviceForTorch))
    return start_without_torch(definition, failure->text);
  (void)expect(std::move(started));
}

void ReferenceRunner::load_python(const model::Definition& definition) {
  (void)expect(worker_->calibrate(deadline()));
  const auto answer = expect(worker_->load({}, deadline(), reference_document(definition).to_json()));
  engine_ = answer.engine;
  has_tracer_ = processes_.device.is_cuda() && answer.no_tracer.empty();
}

void ReferenceRunner::start_without_torch(const model::Definition& definition, const std::string& why) {
  if (wanted_ != ReferenceEngine::kAuto)
    throw ReferenceError("the reference failed: " + why, model::ObstacleCode::missing_tool);
  python_failed_ = why;
  warn_(fmt::format("references run in the native engine: {}", why));
  start_worker(definition);
}

void ReferenceRunner::start_native(const model::Definition& definition) {
  const WorkerKind kind = native_reference_kind(processes_);
  worker_ = processes_.next->reference.take(kind);
  if (!worker_) worker_ = native_reference_worker(processes_.spawner, processes_.children, kind);
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  for (const auto& input : definition.inputs) inputs.push_back(input.name);
  for (const auto& output : definition.outputs) outputs.push_back(output.name);
  const nlohmann::ordered_json document = {
      {"source", definition.reference}, {"inputs", inputs}, {"outputs", outputs}};
  engine_ = expect(worker_->load({}, deadline(), document.dump())).engine;
  if (!python_failed_.empty()) engine_ += fmt::format("; not in Python: {}", python_failed_);
}

void ReferenceRunner::open(const eval::Layout& layout, const worker::DoorFds& door) {
  (void)expect(worker_->open({layout, {}}, door, deadline()));
  calls_ = 0;
  clock_ = worker::Clock::kHost;
  if (runs_python_ && processes_.device.is_cuda())
    clock_ = has_tracer_ ? worker::Clock::kEventSegments : worker::Clock::kEvents;
}

// Further calls are asked for together, as many as take about a second, and as one message has room for: an
// interrupted run, and a reference that hangs, are not waited for much longer than with one.
std::vector<ReferenceCall> ReferenceRunner::calls(const eval::Layout& layout, std::uint32_t count,
                                                  std::uint32_t timed) {
  std::vector<ReferenceCall> all;
  const std::int64_t begin = util::monotonic_ns();
  all.push_back(first_call(layout));
  const std::int64_t call_ns = std::max<std::int64_t>(1, util::monotonic_ns() - begin);
  const auto most =
      std::min(static_cast<std::uint64_t>(kTogetherNs / call_ns), worker::kMaxPayload / answer_bytes(layout));
  const auto together = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 1, count));
  // The host's clock costs nothing.
  const std::uint32_t timed_end = clock_ == worker::Clock::kHost ? count : std::min(timed, count);
  for (std::uint32_t place = 1; place < count;) {
    const bool is_timed = place < timed_end;
    const std::uint32_t left = (is_timed ? timed_end : count) - place;
    const worker::CallsRequest request{is_timed ? clock_ : worker::Clock::kNone, place,
                                       std::min(together, left)};
    for (const auto& call : expect(worker_->calls(request, deadline())).calls) {
      worker::CallTimes times;
      times.done = call.done;
      all.push_back(checked(layout, times, call.collected, request.clock));
    }
    place += request.count;
  }
  return all;
}

ReferenceCall ReferenceRunner::first_call(const eval::Layout& layout) {
  const worker::Clock clock = clock_;
  worker_->begin_call(std::numeric_limits<std::int64_t>::max(), false);
  (void)expect(worker_->prepare(clock, deadline()));
  auto times = expect(worker_->run(clock, deadline()));
  const auto collected = expect(worker_->collect(deadline()));
  times.beside = worker_->beside_last_call();
  return checked(layout, times, collected, clock);
}

ReferenceCall ReferenceRunner::checked(const eval::Layout& layout, const worker::CallTimes& times,
                                       const worker::Collected& collected, worker::Clock clock) {
  if (const auto problem = eval::check_claims(layout, collected.outputs)) {
    throw ReferenceError("the reference failed: " + problem->text);
  }
  return {times.done.elapsed_ns, is_cold(times.done, clock), collected.tied_rows, times};
}

// Where there are events alone: a call that cannot be queued as a whole waits for the device inside.
bool ReferenceRunner::is_cold(const worker::Done& done, worker::Clock clock) {
  if (clock == worker::Clock::kNone) return true;
  if (++calls_ <= kColdCalls) return true;
  if (clock != worker::Clock::kEvents || done.covered) return done.dropped;
  clock_ = worker::Clock::kOpenEvents;
  return true;
}

}  // namespace fib::bench
