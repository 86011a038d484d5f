#include "worker/worker_main.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "device/cpu/cache.h"
#include "device/cpu/memory.h"
#include "device/cpu/quiescence.h"
#include "util/clock.h"
#include "util/errno_error.h"
#include "util/files.h"
#include "worker/channel.h"
#include "worker/messages.h"
#include "worker/private_files.h"
#include "worker/sandbox.h"
#include "worker/serve.h"
#include "worker/target.h"

namespace fib::worker {
namespace {

using device::cpu::PrivateMemory;
using device::cpu::SharedMemory;
using device::cpu::WorkerAccess;

constexpr std::size_t kMaxDocument = 16 * 1024 * 1024;
constexpr int kQuietWindowUs = 100;
constexpr int kQuietLimitMs = 50;

// Within a call the next request comes at once, and nothing but this process has work to do: stay awake.
std::int64_t spin_after(MessageType request) {
  constexpr std::int64_t kSpinNs = 50'000;
  return request == MessageType::kPrepare || request == MessageType::kRun ? kSpinNs : 0;
}

class Worker {
 public:
  explicit Worker(util::UniqueFd socket) : channel_(std::move(socket)) {}

  int run() {
    return serve(
        channel_, [this](Message& message) { return answer(message); }, spin_after);
  }

 private:
  bool answer(Message& message) {
    switch (message.type) {
      case MessageType::kPing:
        return reply(message, MessageType::kPong, {});
      case MessageType::kLoad:
        return reply(message, MessageType::kLoaded, load(message).encode());
      case MessageType::kOpen:
        open(message);
        return reply(message, MessageType::kOpened, {});
      case MessageType::kPrepare:
        prepare();
        return reply(message, MessageType::kReady, {});
      case MessageType::kRun:
        return reply(message, MessageType::kDone, run_once().encode());
      case MessageType::kCollect:
        return reply(message, MessageType::kCollected, collect().encode());
      default:
        throw ProtocolError("a worker does not know this request");
    }
  }

  bool reply(const Message& request, MessageType type, const std::string& payload) {
    return channel_.send(type, request.sequence, payload);
  }

  Loaded load(const Message& message) {
    const Load request = Load::decode(message.payload);
    Loaded loaded;
    if (request.kind == TargetKind::kReference) {
      if (message.fds.size() != 1) throw ProtocolError("a reference comes as one document");
      const std::string document = util::read_document(message.fds[0].get(), kMaxDocument);
      target_ = make_reference_target(document, request.threads, loaded.engine);
    } else {
      // Opened first: the library's path may be out of sight in the sandbox.
      const util::UniqueFd library(::open(request.library_path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!library.valid()) throw util::errno_error("cannot open " + request.library_path);
      loaded.private_files = enter_private_files(std::filesystem::current_path());
      enter_sandbox(request.data_limit_bytes);
      sandboxed_ = true;
      const std::string path = fmt::format("/proc/self/fd/{}", library.get());
      target_ = make_library_target(path, request.symbol, request.returns_status);
    }
    return loaded;
  }

  void open(Message& message) {
    Open request = Open::decode(message.payload);
    if (!target_) throw ProtocolError("nothing is loaded");
    if (message.fds.size() != 2 || !eval::is_sound(request.layout))
      throw ProtocolError("the layout is not sound");
    layout_ = std::move(request.layout);
    shared_inputs_.emplace(
        SharedMemory::open(std::move(message.fds[0]), layout_.input_bytes, WorkerAccess::kReads));
    shared_outputs_.emplace(
        SharedMemory::open(std::move(message.fds[1]), layout_.output_bytes, WorkerAccess::kWrites));
    inputs_ = PrivateMemory(layout_.input_bytes);
    outputs_ = PrivateMemory(layout_.output_bytes);
    target_->open(layout_, inputs_.data(), outputs_.data());
  }

  void prepare() {
    if (!shared_inputs_) throw ProtocolError("no workload is open");
    std::memcpy(inputs_.data(), shared_inputs_->data(), layout_.input_bytes);
    std::memcpy(outputs_.data(), shared_outputs_->data(), layout_.output_bytes);
    target_->prepare();
    device::cpu::flush_from_caches(inputs_.data(), layout_.input_bytes);
    device::cpu::flush_from_caches(outputs_.data(), layout_.output_bytes);
  }

  Done run_once() {
    if (!shared_inputs_) throw ProtocolError("no workload is open");
    const std::int64_t begin = util::monotonic_ns();
    target_->call();
    std::int64_t end = util::monotonic_ns();
    if (!sandboxed_) return {end - begin};  // the reference engine waits for its threads itself
    const auto quiescence = device::cpu::wait_until_quiet(kQuietWindowUs, kQuietLimitMs);
    if (!quiescence.quiet) {
      throw Error("threads of the solution keep running after the call has returned; they must sleep or end");
    }
    if (quiescence.last_activity_ns != 0) end = quiescence.last_activity_ns;
    return {end - begin};
  }

  Collected collect() {
    if (!shared_inputs_) throw ProtocolError("no workload is open");
    Collected collected;
    collected.outputs = target_->collect();
    std::memcpy(shared_outputs_->data(), outputs_.data(), layout_.output_bytes);
    collected.inputs_changed = std::memcmp(inputs_.data(), shared_inputs_->data(), layout_.input_bytes) != 0;
    std::fflush(nullptr);  // what the call printed belongs to this workload's log
    return collected;
  }

  Channel channel_;
  std::unique_ptr<Target> target_;
  bool sandboxed_ = false;  // a solution is loaded, not a reference
  eval::Layout layout_;
  std::optional<SharedMemory> shared_inputs_;
  std::optional<SharedMemory> shared_outputs_;
  PrivateMemory inputs_;
  PrivateMemory outputs_;
};

}  // namespace

int run_worker(util::UniqueFd channel) {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return Worker(std::move(channel)).run();
}

}  // namespace fib::worker
