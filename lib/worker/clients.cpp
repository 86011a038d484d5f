#include "worker/clients.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

#include "util/clock.h"
#include "util/errno_error.h"
#include "util/machine.h"
#include "worker/process_tree.h"

namespace fib::worker {
namespace {

// Importing torch takes seconds, minutes where a disk is slow.
constexpr int kGuestStartMs = 180'000;
constexpr std::int64_t kJudgeTimeoutNs = std::int64_t{600} * 1'000'000'000;

ChildSpec spec_of(const ChildSetup& setup, const std::string& command, const std::filesystem::path& folder,
                  std::uint64_t file_size_limit) {
  return {{setup.program, command}, clean_environment(folder), folder, file_size_limit};
}

// The decoded answer, or the failure; a payload that does not decode is the worker's fault.
template <typename T>
Answer<T> decoded(Answer<Message> answer) {
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  try {
    return T::decode(std::get<Message>(answer).payload);
  } catch (const ProtocolError& error) {
    return Failure{Failure::Kind::kProtocol, fmt::format("the worker broke the protocol: {}", error.what())};
  }
}

Answer<bool> acknowledged(Answer<Message> answer) {
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return true;
}

}  // namespace

std::vector<std::string> clean_environment(const std::filesystem::path& temporary) {
  std::vector<std::string> environment = {"LC_ALL=C", "OMP_WAIT_POLICY=passive", "OPENBLAS_THREAD_TIMEOUT=4",
                                          "TMPDIR=" + temporary.string(), "HOME=" + temporary.string()};
  for (const char* name :
       {"PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "CXX", "CC", "NVCC",
        "CUTLASS_PATH", "FIB_OPENBLAS", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

JudgeClient::JudgeClient(Spawner& spawner, const ChildSetup& setup) try
    : child_(spawner, "the judge", spec_of(setup, "__judge", setup.temporary, 0), setup.start_timeout_ms) {
  child_.stay_awake(std::int64_t{setup.awake_us} * 1000);
} catch (const Error& error) {
  throw JudgeLost("{}", error.what());
}

Message JudgeClient::ask(MessageType type, const std::string& payload, MessageType expected,
                         const std::vector<int>& fds) {
  auto answer = child_.request(type, payload, expected, util::monotonic_ns() + kJudgeTimeoutNs, fds);
  if (auto* message = std::get_if<Message>(&answer)) return std::move(*message);
  const auto& failure = std::get<Failure>(answer);
  if (failure.kind == Failure::Kind::kRefused) throw Error("{}", failure.text);
  throw JudgeLost("{}\n{}", failure.text, child_.take_output());
}

void JudgeClient::use(const UseDevice& device) {
  (void)ask(MessageType::kUseDevice, device.encode(), MessageType::kDeviceReady);
}

DeviceState JudgeClient::describe() {
  return DeviceState::decode(ask(MessageType::kDescribe, {}, MessageType::kDescribed).payload);
}

JudgeOpened JudgeClient::open(const JudgeDocument& document) {
  const auto fd = util::make_sealed_document("fib-workload", document.to_json());
  return JudgeOpened::decode(ask(MessageType::kJudgeOpen, {}, MessageType::kJudgeOpened, {fd.get()}).payload);
}

DoorFds JudgeClient::attach(const Attach& request) {
  Message answer = ask(MessageType::kAttach, request.encode(), MessageType::kAttached);
  if (answer.fds.size() != 2) throw JudgeLost("the judge sent {} buffers instead of 2", answer.fds.size());
  return {Attached::decode(answer.payload).door, std::move(answer.fds[0]), std::move(answer.fds[1])};
}

void JudgeClient::detach(std::uint32_t door) {
  (void)ask(MessageType::kDetach, Number{door}.encode(), MessageType::kDetached);
}

std::vector<eval::OutputDifference> JudgeClient::differ(std::uint32_t door, std::uint32_t expected) {
  return Differed::decode(
             ask(MessageType::kDiffer, DifferRequest{door, expected}.encode(), MessageType::kDiffered)
                 .payload)
      .outputs;
}

bool JudgeClient::knows(std::uint32_t door, const SetId& set) {
  return Known::decode(ask(MessageType::kKnows, SetRequest{door, set}.encode(), MessageType::kKnown).payload)
      .known;
}

void JudgeClient::fill(std::uint32_t door, const SetId& set) {
  (void)ask(MessageType::kFill, SetRequest{door, set}.encode(), MessageType::kFilled);
}

void JudgeClient::keep(std::uint32_t door, const SetId& set) {
  (void)ask(MessageType::kKeep, SetRequest{door, set}.encode(), MessageType::kKept);
}

eval::Judgement JudgeClient::compare(std::uint32_t door, const SetId& set, std::size_t outputs) {
  const CompareRequest request{{door, set}, static_cast<std::uint32_t>(outputs)};
  return Verdict::decode(ask(MessageType::kCompare, request.encode(), MessageType::kVerdict).payload)
      .judgement;
}

Concluded JudgeClient::conclude(std::uint32_t door) {
  return Concluded::decode(
      ask(MessageType::kConclude, Number{door}.encode(), MessageType::kConcluded).payload);
}

WorkerClient::WorkerClient(Spawner& spawner, const ChildSetup& setup, const std::string& name,
                           std::uint64_t file_size_limit)
    : folder_(setup.temporary, "worker-"),
      child_(spawner, name, spec_of(setup, "__worker", folder_.path(), file_size_limit),
             setup.start_timeout_ms),
      worker_delay_(child_.pid().value_or(-1)) {
  child_.stay_awake(std::int64_t{setup.awake_us} * 1000);
}

WorkerClient::WorkerClient(Spawner& spawner, const ChildSetup& setup, const GuestSetup& guest,
                           const std::string& name, std::uint64_t file_size_limit)
    : folder_(setup.temporary, "worker-"),
      child_(spawner, name, guest_spec(guest, setup.files, folder_.path(), file_size_limit), kGuestStartMs),
      worker_delay_(child_.pid().value_or(-1)) {
  child_.stay_awake(std::int64_t{setup.awake_us} * 1000);
}

Answer<Loaded> WorkerClient::load(const Load& request, std::int64_t deadline_ns, const std::string& document,
                                  const std::vector<util::UniqueFd>& files) {
  own_delay_.emplace(0);
  util::UniqueFd code;
  std::vector<int> fds;
  if (!document.empty()) {
    code = util::make_sealed_document("fib-code", document);
    fds.push_back(code.get());
  }
  for (const auto& file : files) fds.push_back(file.get());
  return decoded<Loaded>(
      child_.request(MessageType::kLoad, request.encode(), MessageType::kLoaded, deadline_ns, fds));
}

Answer<bool> WorkerClient::open(const Open& workload, const DoorFds& door, std::int64_t deadline_ns) {
  return acknowledged(child_.request(MessageType::kOpen, workload.encode(), MessageType::kOpened, deadline_ns,
                                     {door.inputs.get(), door.outputs.get()}));
}

Answer<bool> WorkerClient::prepare(std::int64_t deadline_ns) {
  return acknowledged(child_.request(MessageType::kPrepare, {}, MessageType::kReady, deadline_ns));
}

Answer<WorkerClient::Ran> WorkerClient::run(Clock clock, std::int64_t deadline_ns) {
  const Waiting before = waiting();
  const std::int64_t begin = util::monotonic_ns();
  auto answer = child_.request(MessageType::kRun, Run{clock}.encode(), MessageType::kDone, deadline_ns);
  const std::int64_t envelope = util::monotonic_ns() - begin;
  auto done = decoded<Done>(std::move(answer));
  if (auto* failure = std::get_if<Failure>(&done)) return std::move(*failure);
  return Ran{std::get<Done>(done), envelope, explained_ns(before, waiting(), std::get<Done>(done))};
}

WorkerClient::Waiting WorkerClient::waiting() {
  Waiting now{worker_delay_.times(), own_delay_->ns(), 0};
  clockid_t clock = 0;
  timespec used{};
  const auto pid = child_.pid();
  if (pid && ::clock_getcpuclockid(*pid, &clock) == 0 && ::clock_gettime(clock, &used) == 0)
    now.worker_process_ns = std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
  return now;
}

// The main thread may also wait because other threads of the worker have its CPU: what they use beyond the
// claim, on all cores, is work and no waiting.
std::int64_t WorkerClient::explained_ns(const Waiting& before, const Waiting& after, const Done& done) {
  const std::int64_t waited = after.worker.waiting_ns - before.worker.waiting_ns;
  const std::int64_t others = (after.worker_process_ns - before.worker_process_ns) -
                              (after.worker.on_cpu_ns - before.worker.on_cpu_ns);
  const auto claimed =
      static_cast<std::int64_t>(std::clamp(done.elapsed_ns, 0.0, 1e15) * util::usable_cores());
  const std::int64_t hidden = std::max<std::int64_t>(0, others - claimed);
  return std::max<std::int64_t>(0, waited - hidden) + after.own_ns - before.own_ns;
}

std::int64_t WorkerClient::cpu_ns() {
  const auto pid = child_.pid();
  return pid ? cpu_ns_of_tree(*pid) : 0;
}

Answer<Collected> WorkerClient::collect(std::int64_t deadline_ns) {
  return decoded<Collected>(child_.request(MessageType::kCollect, {}, MessageType::kCollected, deadline_ns));
}

Answer<std::int64_t> WorkerClient::ping(std::int64_t deadline_ns) {
  std::array<std::int64_t, 5> trips{};
  for (auto& trip : trips) {
    const std::int64_t begin = util::monotonic_ns();
    auto answer = child_.request(MessageType::kPing, {}, MessageType::kPong, deadline_ns);
    if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
    trip = util::monotonic_ns() - begin;
  }
  std::sort(trips.begin(), trips.end());
  return trips[trips.size() / 2];
}

}  // namespace fib::worker
