#include "worker/worker_main.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "util/errno_error.h"
#include "util/files.h"
#include "worker/channel.h"
#include "worker/messages.h"
#include "worker/private_files.h"
#include "worker/sandbox.h"
#include "worker/serve.h"
#include "worker/stage.h"
#include "worker/target.h"

namespace fib::worker {
namespace {

constexpr std::size_t kMaxDocument = 16 * 1024 * 1024;
constexpr std::size_t kMaxCubin = 1024 * 1024 * 1024;

class Worker {
 public:
  explicit Worker(util::UniqueFd socket) : channel_(std::move(socket)) {}

  int run() {
    return serve(
        channel_, [this](Message& message) { return answer(message); },
        [this](MessageType request) { return spin_after(request); });
  }

 private:
  // Within a call the next request comes at once, and nothing but this process has work to do: stay awake.
  [[nodiscard]] std::int64_t spin_after(MessageType request) const {
    constexpr std::int64_t kSpinNs = 50'000;
    return std::max(awake_ns_,
                    request == MessageType::kPrepare || request == MessageType::kRun ? kSpinNs : 0);
  }

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
        return reply(message, MessageType::kDone, run_once(Run::decode(message.payload)).encode());
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
    awake_ns_ = std::int64_t{request.device.awake_us} * 1000;
    Loaded loaded;
    if (request.kind != TargetKind::kReference) {
      load_solution(request, loaded);
      return loaded;
    }
    if (message.fds.size() != 1) throw ProtocolError("a reference comes as one document");
    const std::string document = util::read_document(message.fds[0].get(), kMaxDocument);
    stage_ = make_cpu_stage(false);
    target_ = make_reference_target(document, request.threads, request.device.uuid, loaded.engine);
    return loaded;
  }

  // Files are opened first: their paths may be out of sight in the sandbox.
  void load_solution(const Load& request, Loaded& loaded) {
    const util::UniqueFd file(::open(request.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) throw util::errno_error("cannot open " + request.path);
    const std::string kernels = request.device.is_cuda() ? util::read_file(request.device.kernels_path) : "";
    loaded.private_files = enter_private_files(std::filesystem::current_path());
    drop_capabilities();
    // CUDA opens a socket and starts threads when it starts: what the sandbox refuses is refused after that.
    const bool host_code = request.kind == TargetKind::kSharedLibrary;
    stage_ =
        request.device.is_cuda() ? make_cuda_stage(request.device, kernels, host_code) : make_cpu_stage(true);
    loaded.no_tracer = stage_->prepare_tracer();
    enter_sandbox(request.data_limit_bytes);
    if (request.kind == TargetKind::kKernels) {
      target_ = make_kernel_target(*stage_, util::read_document(file.get(), kMaxCubin));
    } else {
      const std::string path = fmt::format("/proc/self/fd/{}", file.get());
      target_ = make_library_target(path, request.symbol, request.returns_status);
    }
  }

  void open(Message& message) {
    const Open request = Open::decode(message.payload);
    if (!target_) throw ProtocolError("nothing is loaded");
    if (message.fds.size() != 2 || !eval::is_sound(request.layout))
      throw ProtocolError("the layout is not sound");
    open_ = false;
    stage_->open(request.layout, std::move(message.fds[0]), std::move(message.fds[1]));
    target_->open(request, stage_->buffers());
    open_ = true;
  }

  void require_open() const {
    if (!open_) throw ProtocolError("no workload is open");
  }

  void prepare() {
    require_open();
    stage_->fill();
    target_->prepare();
    stage_->flush();
  }

  Done run_once(const Run& request) {
    require_open();
    return stage_->run(*target_, request.clock);
  }

  Collected collect() {
    require_open();
    Collected collected;
    collected.outputs = target_->collect();
    collected.inputs_changed = stage_->collect();
    std::fflush(nullptr);  // what the call printed belongs to this workload's log
    return collected;
  }

  Channel channel_;
  std::unique_ptr<Stage> stage_;  // outlives the target
  std::unique_ptr<Target> target_;
  bool open_ = false;
  std::int64_t awake_ns_ = 0;
};

}  // namespace

int run_worker(util::UniqueFd channel) {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return Worker(std::move(channel)).run();
}

}  // namespace fib::worker
