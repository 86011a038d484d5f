#include "worker/worker_main.h"

#include <sys/prctl.h>

#include <filesystem>
#include <memory>

#include "ops/gpu/gpu.h"
#include "sandbox/process.h"
#include "util/files.h"
#include "worker/cuda_queues.h"
#include "worker/solution_target.h"
#include "worker/tvm_ffi_target.h"
#include "worker/wire.h"
#include "worker/worker_loop.h"

namespace fib::worker {
namespace {

constexpr std::size_t kMaxArtifactDocument = 16 * 1024 * 1024;
constexpr std::size_t kMaxKernels = 64 * 1024 * 1024;  // fib's own
constexpr std::size_t kMaxCubin = 1024 * 1024 * 1024;

class WorkerLoader : public Loader {
 public:
  void confine(const Confine& request) override {
    if (is_confined_) throw ProtocolError("a worker is confined once");
    const auto access = sandbox::FileAccess::parse(request.files);
    is_open_ = access.mode == sandbox::Mode::kOff;
    sandbox::offer_to_oom_killer();
    if (!request.runtime.empty()) load_tvm_ffi_runtime(request.runtime);
    held_ = sandbox::confine_files(access, std::filesystem::current_path());
    if (!is_open_) sandbox::drop_capabilities();
    if (request.runs_kernels_alone) use_one_cuda_queue();
    if (request.on_cuda) open_cuda_ahead();
    is_confined_ = true;
  }

  std::unique_ptr<Stage> start(const Start& request, const std::vector<util::UniqueFd>& fds) override {
    if (request.kind == TargetKind::kPython) throw ProtocolError("Python code needs a guest");
    start_ = request;
    if (!is_confined_) throw ProtocolError("a worker is confined before it starts");
    if (request.kind == TargetKind::kReference) {
      open_gpu(request);
      enter_sandbox();
      return make_cpu_stage();
    }
    if (fds.size() != (request.device.is_cuda() ? 1 : 0))
      throw ProtocolError("a solution's worker starts with fib's kernels beside the request on CUDA");
    auto stage = make_solution_stage(
        request.kind, request.device,
        request.device.is_cuda() ? util::read_document(fds[0].get(), kMaxKernels) : std::string());
    no_tracer_ = stage->prepare_tracer();
    return stage;
  }

  std::unique_ptr<Target> load(const Load& request, const std::vector<util::UniqueFd>& fds, Stage& stage,
                               Loaded& answer) override {
    if (fds.size() != 1) throw ProtocolError("what a worker runs comes as one file");
    if (start_.kind != TargetKind::kReference) return load_solution(request, fds[0].get(), stage, answer);
    const std::string document = util::read_document(fds[0].get(), kMaxArtifactDocument);
    auto target = make_reference_target(document, start_.threads, gpu_, answer.engine);
    if (!no_gpu_.empty()) answer.engine += "; the GPU is not used: " + no_gpu_;
    return target;
  }

 private:
  // For a reference, whose tensors lie on the host.
  void open_gpu(const Start& request) {
    if (!request.device.is_cuda()) return;
    try {
      gpu_ = ops::open_gpu(request.device.uuid, static_cast<int>(request.threads));
    } catch (const Error& error) {
      no_gpu_ = error.what();
    }
  }

  // What the system is asked for from here on is limited.
  void enter_sandbox() const {
    if (is_open_) sandbox::limit_data(start_.data_limit_bytes);
    if (!is_open_) sandbox::enter(start_.data_limit_bytes, {.metadata = held_.mounts});
  }

  // A solution's code comes in a sealed memory file. CUDA opens a socket and starts threads when it starts:
  // what the filter refuses is refused after that.
  std::unique_ptr<Target> load_solution(const Load& request, int file, Stage& stage, Loaded& answer) {
    answer.sandbox = held_;
    answer.no_tracer = no_tracer_;
    enter_sandbox();
    if (start_.kind == TargetKind::kKernels)
      return make_kernel_target(stage, util::read_document(file, kMaxCubin));
    return make_solution_target(start_.kind, fmt::format("/proc/self/fd/{}", file), request, stage);
  }

  Start start_;
  bool is_confined_ = false;
  bool is_open_ = false;  // --sandbox off
  sandbox::Held held_;
  std::string no_tracer_;
  std::shared_ptr<ops::Gpu> gpu_;  // of a reference; null: none
  std::string no_gpu_;             // why there is none where one was asked for; empty: there is
};

}  // namespace

int run_worker(util::UniqueFd channel) {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  WorkerLoader loader;
  return serve_worker(std::move(channel), loader);
}

}  // namespace fib::worker
