#include "worker/worker_loop.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "util/files.h"
#include "worker/channel.h"
#include "worker/serve.h"

namespace fib::worker {
namespace {

class WorkerLoop {
 public:
  WorkerLoop(util::UniqueFd socket, Loader& loader) : channel_(std::move(socket)), loader_(loader) {}

  int run() {
    return serve(
        channel_, [this](Message& message) { return answer(message); },
        [this](MessageType request) { return spin_after(request); });
  }

 private:
  // Within a call the next request comes at once, and nothing but this process has work to do: stay awake.
  // After a run in which other threads worked, or of a process that has some, the parent waits until all of
  // them sleep.
  [[nodiscard]] std::int64_t spin_after(MessageType request) const {
    constexpr std::int64_t kSpinNs = 50'000;
    const bool is_within = request == MessageType::kPrepare ||
                           (request == MessageType::kRun && !others_worked_ && !has_other_threads());
    return std::max(awake_ns_, is_within ? kSpinNs : 0);
  }

  // CPU time of all threads but this one.
  static std::int64_t used_by_others_ns() {
    const auto used = [](clockid_t clock) {
      timespec time{};
      ::clock_gettime(clock, &time);
      return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    };
    return used(CLOCK_PROCESS_CPUTIME_ID) - used(CLOCK_THREAD_CPUTIME_ID);
  }

  // A process's task folder has a link for each thread besides "." and "..".
  static bool has_other_threads() {
    struct stat info {};
    return ::stat("/proc/self/task", &info) == 0 && info.st_nlink > 3;
  }

  bool answer(Message& message) {
    switch (message.type) {
      case MessageType::kPing:
        return reply(message, MessageType::kPong, {});
      case MessageType::kConfine:
        confine(Confine::decode(message.payload));
        return reply(message, MessageType::kConfined, {});
      case MessageType::kStart:
        start(message);
        return reply(message, MessageType::kStarted, {});
      case MessageType::kCalibrate:
        calibrate();
        return reply(message, MessageType::kCalibrated, {});
      case MessageType::kLoad:
        return reply(message, MessageType::kLoaded, load(message).encode());
      case MessageType::kPack:
        return reply(message, MessageType::kPacked, pack(message.fds).encode());
      case MessageType::kOpen:
        open(message);
        return reply(message, MessageType::kOpened, {});
      case MessageType::kPrepare:
        prepare(CallRequest::decode(message.payload).clock, 0);
        return reply(message, MessageType::kReady, {});
      case MessageType::kRun:
        return reply(message, MessageType::kDone, run(CallRequest::decode(message.payload).clock).encode());
      case MessageType::kCollect:
        return reply(message, MessageType::kCollected, collect().encode());
      case MessageType::kCalls:
        return reply(message, MessageType::kCalled, calls(CallsRequest::decode(message.payload)).encode());
      default:
        throw ProtocolError("a worker does not know this request");
    }
  }

  bool reply(const Message& request, MessageType type, const std::string& payload) {
    return channel_.send(type, request.ticket, payload);
  }

  void confine(const Confine& request) {
    if (stage_) throw ProtocolError("a worker is confined before it starts");
    loader_.confine(request);
  }

  void start(Message& message) {
    if (stage_) throw ProtocolError("a worker starts once");
    const Start request = Start::decode(message.payload);
    awake_ns_ = std::int64_t{request.device.awake_us} * 1000;
    stage_ = loader_.start(request, message.fds);
  }

  void calibrate() {
    if (!stage_) throw ProtocolError("a worker starts before it calibrates its clock");
    if (target_) throw ProtocolError("what is loaded could disturb it");
    stage_->calibrate();
  }

  Loaded load(Message& message) {
    if (!stage_) throw ProtocolError("a worker starts before it loads");
    if (target_) throw ProtocolError("a worker loads once");
    Loaded answer;
    target_ = loader_.load(Load::decode(message.payload), message.fds, *stage_, answer);
    return answer;
  }

  [[nodiscard]] Packed pack(const std::vector<util::UniqueFd>& fds) const {
    if (!target_) throw ProtocolError("nothing is loaded");
    if (fds.size() != 1) throw ProtocolError("there is no place for files");
    const std::string packed = target_->jit_files();
    util::write_all(fds.front().get(), packed, "cannot hand over files");
    return {packed.size()};
  }

  void open(Message& message) {
    const Open request = Open::decode(message.payload);
    if (!target_) throw ProtocolError("nothing is loaded");
    if (message.fds.size() != 2 || !eval::is_sound(request.layout) || request.places == 0)
      throw ProtocolError("the layout is not sound");
    open_ = false;
    places_ = request.places;
    stage_->open(request.layout, {std::move(message.fds[0]), std::move(message.fds[1]), request.on_device,
                                  request.places, request.has_private, request.is_solutions});
    target_->open(request, stage_->buffers());
    open_ = true;
  }

  void require_open() const {
    if (!open_) throw ProtocolError("no workload is open");
  }

  void prepare(Clock clock, std::uint32_t place) {
    require_open();
    if (place >= places_) throw ProtocolError("there is no such place");
    stage_->fill(clock, place);
    target_->prepare();
    stage_->flush();
  }

  Done run_once(Clock clock) {
    require_open();
    return stage_->run(*target_, clock);
  }

  Collected collect() {
    require_open();
    Collected collected;
    collected.outputs = target_->collect();
    collected.inputs_changed = stage_->collect();
    target_->forget();
    collected.tied_rows = target_->tied_rows();
    std::fflush(nullptr);  // what the call printed belongs to this workload's log
    return collected;
  }

  Done run(Clock clock) {
    if (awake_ns_ > 0) return run_once(clock);  // it stays awake, whoever works
    constexpr std::int64_t kLittleNs = 10'000;
    const std::int64_t before = used_by_others_ns();
    const Done done = run_once(clock);
    others_worked_ = used_by_others_ns() - before > kLittleNs;
    return done;
  }

  Called calls(const CallsRequest& request) {
    Called called;
    try {
      for (std::uint32_t call = 0; call < request.count; ++call) {
        prepare(request.clock, request.first_place + call);
        Done done = run_once(request.clock);
        called.calls.push_back({done, collect()});
      }
    } catch (...) {
      wait_for_the_rest();
      throw;
    }
    stage_->wait();
    return called;
  }

  // A call has failed. What was queued before it uses memory that the next workload gives back.
  void wait_for_the_rest() {
    try {
      stage_->wait();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the call says what failed
    }
  }

  Channel channel_;
  Loader& loader_;
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<Target> target_;
  bool open_ = false;
  std::uint32_t places_ = 1;  // of the shared buffers
  std::int64_t awake_ns_ = 0;
  bool others_worked_ = false;  // other threads, in the last run
};

}  // namespace

int serve_worker(util::UniqueFd channel, Loader& loader) {
  return WorkerLoop(std::move(channel), loader).run();
}

}  // namespace fib::worker
