#include "worker/clients.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include "util/clock.h"
#include "util/errno_error.h"
#include "worker/messages.h"
#include "worker/packed_folder.h"

namespace fib::worker {
namespace {

// Importing torch takes seconds, minutes where a disk is slow.
constexpr int kGuestStartMs = 180'000;
// How long threads and processes are watched, and how long they may take to come to rest.
constexpr int kRestWindowUs = 100;
constexpr int kRestLimitMs = 3000;
constexpr int kSettleMs = 20;     // after a stop
constexpr int kStopCpuMs = 5000;  // that it may go on for
constexpr std::int64_t kJudgeTimeoutNs = std::int64_t{600} * 1'000'000'000;

ChildSpec spec_of(const ChildSetup& setup, const std::string& command, const std::filesystem::path& folder,
                  std::uint64_t file_size_limit) {
  return {{setup.program, command}, clean_environment(folder, setup.device_uuid), folder, file_size_limit};
}

ChildSpec with_memory_limit(ChildSpec spec, const ChildSetup& setup) {
  spec.memory_limit = setup.memory_limit;
  return spec;
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

std::vector<int> descriptors_of(const std::vector<util::UniqueFd>& files) {
  std::vector<int> fds;
  for (const auto& file : files) fds.push_back(file.get());
  return fds;
}

Answer<bool> acknowledged(Answer<Message> answer) {
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  return true;
}

}  // namespace

std::vector<std::string> clean_environment(const std::filesystem::path& temporary,
                                           const std::string& device_uuid) {
  std::vector<std::string> environment = {"LC_ALL=C", "OMP_WAIT_POLICY=passive", "OPENBLAS_THREAD_TIMEOUT=4",
                                          "TMPDIR=" + temporary.string(), "HOME=" + temporary.string()};
  for (const char* name :
       {"PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "CXX", "CC", "NVCC",
        "CUTLASS_PATH", "FIB_OPENBLAS", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  if (!device_uuid.empty()) {
    std::erase_if(environment, [](const auto& entry) { return entry.starts_with("CUDA_VISIBLE_DEVICES="); });
    environment.push_back("CUDA_VISIBLE_DEVICES=" + device_uuid);
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
  const std::string output = child_.take_output();
  throw JudgeLost("{}{}{}", failure.text, output.empty() ? "" : ": ", output);
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
  const auto attached = Attached::decode(answer.payload);
  return {attached.door,      std::move(answer.fds[0]), std::move(answer.fds[1]),
          attached.on_device, attached.places,          attached.has_private};
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
  return KnowsAnswer::decode(
             ask(MessageType::kKnows, SetRequest{door, set}.encode(), MessageType::kKnown).payload)
      .known;
}

bool JudgeClient::device_is_idle() {
  return LookedAround::decode(ask(MessageType::kLookAround, {}, MessageType::kLookedAround).payload).is_idle;
}

std::string JudgeClient::counter_problem() {
  return Counted::decode(ask(MessageType::kAskCounters, {}, MessageType::kCounted).payload).problem;
}

std::string JudgeClient::begin_count() {
  return Counted::decode(ask(MessageType::kBeginCount, {}, MessageType::kCounted).payload).problem;
}

Counted JudgeClient::end_count() {
  return Counted::decode(ask(MessageType::kEndCount, {}, MessageType::kCounted).payload);
}

double JudgeClient::time_copies(std::uint32_t door) {
  return CopiesTimed::decode(
             ask(MessageType::kTimeCopies, Number{door}.encode(), MessageType::kCopiesTimed).payload)
      .ns;
}

void JudgeClient::fill(std::uint32_t door, const std::vector<SetId>& sets) {
  (void)ask(MessageType::kFill, SetsRequest{door, sets}.encode(), MessageType::kFilled);
}

void JudgeClient::fill_private(std::uint32_t door, const SetId& set) {
  (void)ask(MessageType::kFill, SetsRequest{door, {set}, true}.encode(), MessageType::kFilled);
}

void JudgeClient::sample_private(std::uint32_t door) {
  (void)ask(MessageType::kSample, Number{door}.encode(), MessageType::kSampled);
}

void JudgeClient::keep(std::uint32_t door, const std::vector<SetId>& sets) {
  (void)ask(MessageType::kKeep, SetsRequest{door, sets}.encode(), MessageType::kKept);
}

eval::Judgement JudgeClient::compare(std::uint32_t door, const SetId& set, std::size_t outputs,
                                     const std::optional<SetId>& next) {
  const CompareRequest request{
      {door, set}, static_cast<std::uint32_t>(outputs), next.has_value(), next.value_or(SetId{})};
  return Verdict::decode(ask(MessageType::kCompare, request.encode(), MessageType::kVerdict).payload)
      .judgement;
}

eval::Judgement JudgeClient::compare_private(std::uint32_t door, const SetId& set, std::size_t outputs) {
  CompareRequest request{{door, set}, static_cast<std::uint32_t>(outputs)};
  request.in_private = true;
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
      child_(spawner, name,
             with_memory_limit(spec_of(setup, "__worker", folder_.path(), file_size_limit), setup),
             setup.start_timeout_ms),
      process_(child_.pid().value_or(-1), false) {
  child_.stay_awake(std::int64_t{setup.awake_us} * 1000);
}

WorkerClient::WorkerClient(Spawner& spawner, const ChildSetup& setup, const GuestSetup& guest,
                           const std::string& name, std::uint64_t file_size_limit)
    : folder_(setup.temporary, "worker-"),
      child_(spawner, name,
             with_memory_limit(guest_spec(guest, setup.files, folder_.path(), file_size_limit), setup),
             kGuestStartMs),
      process_(child_.pid().value_or(-1), true) {
  child_.stay_awake(std::int64_t{setup.awake_us} * 1000);
}

Answer<bool> WorkerClient::confine(const Confine& request, std::int64_t deadline_ns) {
  return acknowledged(
      child_.request(MessageType::kConfine, request.encode(), MessageType::kConfined, deadline_ns));
}

Answer<bool> WorkerClient::start(const Start& request, std::int64_t deadline_ns,
                                 const std::vector<util::UniqueFd>& files) {
  is_started_ = true;
  is_on_cpu_ = !request.device.is_cuda();
  device_uuid_ = request.device.uuid;
  is_watched_ = is_on_cpu_ && request.kind != TargetKind::kReference;
  return acknowledged(child_.request(MessageType::kStart, request.encode(), MessageType::kStarted,
                                     deadline_ns, descriptors_of(files)));
}

Answer<bool> WorkerClient::calibrate(std::int64_t deadline_ns) {
  return acknowledged(child_.request(MessageType::kCalibrate, {}, MessageType::kCalibrated, deadline_ns));
}

Answer<Loaded> WorkerClient::load(const Load& request, std::int64_t deadline_ns, const std::string& document,
                                  const std::vector<util::UniqueFd>& files) {
  util::UniqueFd code;
  std::vector<int> fds = descriptors_of(files);
  if (!document.empty()) {
    code = util::make_sealed_document("fib-code", document);
    fds.insert(fds.begin(), code.get());
  }
  return decoded<Loaded>(
      child_.request(MessageType::kLoad, request.encode(), MessageType::kLoaded, deadline_ns, fds));
}

Answer<bool> WorkerClient::open(const Open& workload, const DoorFds& door, std::int64_t deadline_ns) {
  own_delay_.emplace(0);
  ended_others_ns_.reset();
  Open request = workload;
  request.on_device = door.on_device;
  request.places = door.places;
  request.has_private = door.has_private;
  const auto before = is_on_cpu_ ? WatchedProcess::Usage{} : process_.usage();
  const std::int64_t waited = waiting_ns();
  const std::int64_t begin = util::monotonic_ns();
  auto answer = acknowledged(child_.request(MessageType::kOpen, request.encode(), MessageType::kOpened,
                                            deadline_ns, {door.inputs.get(), door.outputs.get()}));
  if (!is_on_cpu_) {
    beside_.open_ns = util::monotonic_ns() - begin;
    beside_.open_waited_ns = waiting_ns() - waited;
    beside_.others_cpu_ns += WatchedProcess::used_by_others_ns(before, process_.usage());
  }
  return answer;
}

void WorkerClient::begin_call(std::int64_t usual_prepare_ns, bool exact) {
  beside_ = {};
  usual_prepare_ns_ = usual_prepare_ns;
  if (!is_on_cpu_) {
    is_exact_ = exact;
    if (exact) call_began_ = process_.exact_usage();
    return;
  }
  call_began_ = process_.usage();
  if (ended_others_ns_) call_began_.others_ns = std::min(call_began_.others_ns, *ended_others_ns_);
  ended_others_ns_.reset();
}

Answer<bool> WorkerClient::prepare(Clock clock, std::int64_t deadline_ns) {
  // Threads that the judge has started since the call began are none of its processes.
  if (is_on_cpu_ && process_.may_fork()) prepare_began_ = process_.usage();
  const auto before = is_on_cpu_ ? WatchedProcess::Usage{} : process_.usage();
  const std::int64_t waited = waiting_ns();
  const std::int64_t begin = util::monotonic_ns();
  auto answer = acknowledged(
      child_.request(MessageType::kPrepare, CallRequest{clock}.encode(), MessageType::kReady, deadline_ns));
  beside_.prepare_ns = util::monotonic_ns() - begin;
  beside_.prepare_waited_ns = waiting_ns() - waited;
  if (!is_on_cpu_) beside_.others_cpu_ns += WatchedProcess::used_by_others_ns(before, process_.usage());
  return answer;
}

Answer<CallTimes> WorkerClient::run(Clock clock, std::int64_t deadline_ns) {
  const auto before = is_on_cpu_ ? process_.exact_usage(took_long_to_prepare()) : process_.usage();
  if (is_on_cpu_) {
    beside_.main_before_ns = before.main_ns - call_began_.main_ns;
    beside_.others_cpu_ns = WatchedProcess::used_by_others_ns(call_began_, before);
    beside_.lost_processes = WatchedProcess::may_have_lost_some(prepare_began_, before);
  }
  const std::int64_t waited = process_.waiting_ns();
  const std::int64_t own_waited = own_delay_->ns();
  const std::int64_t begin = util::monotonic_ns();
  auto answer =
      child_.request(MessageType::kRun, CallRequest{clock}.encode(), MessageType::kDone, deadline_ns);
  CallTimes times;
  times.envelope_ns = util::monotonic_ns() - begin;
  times.waited_ns = process_.waiting_ns() - waited;
  times.own_waited_ns = own_delay_->ns() - own_waited;
  auto done = decoded<Done>(std::move(answer));
  if (auto* failure = std::get_if<Failure>(&done)) return std::move(*failure);
  times.done = std::get<Done>(done);
  add_device_work(clock, times.done.elapsed_ns, times.envelope_ns, 1);
  std::optional<std::int64_t> main_at_rest_ns;
  if (is_watched_) {
    main_at_rest_ns = await_main_thread(before);
    await_rest(times);
  }
  run_ended_ = process_.usage();
  beside_.is_after_exact = main_at_rest_ns.has_value();
  if (main_at_rest_ns) run_ended_.main_ns = *main_at_rest_ns;
  times.others_cpu_ns = WatchedProcess::used_by_others_ns(before, run_ended_);
  times.lost_processes = WatchedProcess::may_have_lost_some(before, run_ended_);
  return times;
}

bool WorkerClient::took_long_to_prepare() const {
  return !process_.may_fork() && beside_.prepare_ns - beside_.prepare_waited_ns > usual_prepare_ns_;
}

// While others work in the run the main thread may rest: then what it uses of a CPU in the whole call does
// not tell what it does after it, and where it has used it must be known. A worker does not look for its next
// request there (worker_loop.cpp), so that an honest one sleeps at once.
std::optional<std::int64_t> WorkerClient::await_main_thread(const WatchedProcess::Usage& before_run) {
  constexpr std::int64_t kLittleNs = 20'000;
  const std::int64_t answered = util::monotonic_ns();
  const std::int64_t waited = waiting_ns();
  if (process_.may_fork()) return std::nullopt;
  const bool is_alone = !process_.has_other_threads() &&
                        WatchedProcess::used_by_others_ns(before_run, process_.usage()) < kLittleNs;
  if (is_alone) return std::nullopt;
  const bool sleeps = process_.await_main_thread();
  beside_.after_run_ns = util::monotonic_ns() - answered;
  beside_.after_run_waited_ns = waiting_ns() - waited;
  return sleeps ? std::optional(process_.usage().main_ns) : std::nullopt;
}

// What its threads and processes do after the call has returned belongs to it.
void WorkerClient::await_rest(CallTimes& times) {
  const auto span = child_.span("come to rest");
  const std::int64_t answered = util::monotonic_ns();
  const auto rest = process_.wait_until_rest(kRestWindowUs, kRestLimitMs);
  times.at_work = rest.at_work;
  const std::int64_t late_ns = std::max<std::int64_t>(0, rest.last_activity_ns - answered);
  times.done.elapsed_ns += static_cast<double>(late_ns);
  times.envelope_ns += late_ns;
}

Answer<Collected> WorkerClient::collect(std::int64_t deadline_ns) {
  const std::int64_t waited = waiting_ns();
  const std::int64_t begin = util::monotonic_ns();
  auto answer =
      decoded<Collected>(child_.request(MessageType::kCollect, {}, MessageType::kCollected, deadline_ns));
  beside_.collect_ns = util::monotonic_ns() - begin;
  beside_.collect_waited_ns = waiting_ns() - waited;
  // On CUDA the main thread stays awake between requests, so that its CPU time says nothing.
  if (!is_on_cpu_) {
    beside_.others_cpu_ns += WatchedProcess::used_by_others_ns(run_ended_, process_.usage());
    return answer;
  }
  const auto span = child_.span("come to rest");
  const std::int64_t waited_before = waiting_ns();
  const std::int64_t answered = util::monotonic_ns();
  (void)process_.await_main_thread();
  beside_.rest_ns = util::monotonic_ns() - answered;
  beside_.rest_waited_ns = waiting_ns() - waited_before;
  collected_ = process_.exact_usage();
  if (WatchedProcess::may_have_lost_some(run_ended_, collected_)) beside_.lost_processes = true;
  beside_.main_cpu_ns = collected_.main_ns - call_began_.main_ns;
  beside_.main_after_ns = collected_.main_ns - run_ended_.main_ns;
  beside_.others_cpu_ns += WatchedProcess::used_by_others_ns(run_ended_, collected_);
  return answer;
}

// The main thread has nothing to do meanwhile.
void WorkerClient::end_call() {
  if (!is_on_cpu_) {
    if (is_exact_)
      beside_.exact_others_ns = WatchedProcess::used_by_others_ns(call_began_, process_.exact_usage());
    return;
  }
  const auto now = process_.exact_usage();
  beside_.others_cpu_ns += WatchedProcess::used_by_others_ns(collected_, now) +
                           std::max<std::int64_t>(0, now.main_ns - collected_.main_ns);
  if (!now.was_stopped) ended_others_ns_ = now.others_ns;
}

Answer<Called> WorkerClient::calls(const CallsRequest& request, std::int64_t deadline_ns) {
  const std::int64_t begin = util::monotonic_ns();
  auto called = decoded<Called>(
      child_.request(MessageType::kCalls, request.encode(), MessageType::kCalled, deadline_ns));
  const auto* answer = std::get_if<Called>(&called);
  if (answer == nullptr) return called;
  if (answer->calls.size() != request.count)
    return Failure{Failure::Kind::kProtocol,
                   "the worker broke the protocol: it made another number of calls"};
  double ns = 0;
  for (const auto& call : answer->calls) ns += call.done.elapsed_ns;
  add_device_work(request.clock, ns, util::monotonic_ns() - begin, request.count);
  return called;
}

void WorkerClient::add_device_work(Clock clock, double ns, std::int64_t most_ns, std::uint64_t calls) const {
  if (clock == Clock::kHost || clock == Clock::kCounters || clock == Clock::kNone) return;
  child_.add_device_work(device_uuid_, std::min(ns, static_cast<double>(most_ns)), calls);
}

// All of a worker's processes are in the group that it leads: the sandbox lets none leave.
void WorkerClient::stop() {
  ended_others_ns_.reset();
  if (!child_.pid()) return;
  if (const auto why = process_.stop(kStopCpuMs)) child_.kill(*why);
}

// Its threads go to sleep again before anything of theirs is counted.
void WorkerClient::go_on() {
  const auto span = child_.span("go on");
  const auto pid = child_.pid();
  if (!pid || ::kill(-*pid, SIGCONT) != 0) return;
  if (is_on_cpu_) (void)process_.wait_until_rest(kRestWindowUs, kSettleMs);
}

Answer<std::string> WorkerClient::take_jit_files(std::int64_t deadline_ns) {
  const auto place = util::make_memory_file("fib-jit", kMostPackedBytes);
  auto packed = decoded<Packed>(
      child_.request(MessageType::kPack, {}, MessageType::kPacked, deadline_ns, {place.get()}));
  if (auto* failure = std::get_if<Failure>(&packed)) return std::move(*failure);
  const std::uint64_t bytes = std::get<Packed>(packed).bytes;
  if (bytes > kMostPackedBytes)
    return Failure{Failure::Kind::kProtocol, "the worker packed more than there is place for"};
  return util::read_beginning(place.get(), bytes);
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
