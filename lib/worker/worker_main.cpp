#include "worker/worker_main.h"

#include <sys/prctl.h>

#include <filesystem>

#include "sandbox/process.h"
#include "util/files.h"
#include "worker/wire.h"
#include "worker/worker_loop.h"

namespace fib::worker {
namespace {

constexpr std::size_t kMaxDocument = 16 * 1024 * 1024;
constexpr std::size_t kMaxCubin = 1024 * 1024 * 1024;

LoadedTarget load_reference(const Load& request, const std::vector<util::UniqueFd>& fds) {
  if (fds.size() != 1) throw ProtocolError("a reference comes as one document");
  const std::string document = util::read_document(fds[0].get(), kMaxDocument);
  LoadedTarget loaded;
  loaded.stage = make_cpu_stage();
  loaded.target = make_reference_target(document, request.threads, request.device.uuid, loaded.answer.engine);
  return loaded;
}

// A solution's code comes in a sealed memory file beside the request. CUDA opens a socket and starts threads
// when it starts: what the filter refuses is refused after that.
LoadedTarget load_solution(const Load& request, const std::vector<util::UniqueFd>& fds) {
  if (fds.size() != 1) throw ProtocolError("a solution comes as one file");
  const std::string kernels = request.device.is_cuda() ? util::read_file(request.device.kernels_path) : "";
  const auto access = sandbox::FileAccess::parse(request.files);
  const bool is_open = access.mode == sandbox::Mode::kOff;
  LoadedTarget loaded;
  sandbox::offer_to_oom_killer();
  loaded.answer.sandbox = sandbox::confine_files(access, std::filesystem::current_path());
  if (!is_open) sandbox::drop_capabilities();
  const bool host_code = request.kind == TargetKind::kSharedLibrary;
  loaded.stage =
      request.device.is_cuda() ? make_cuda_stage(request.device, kernels, {host_code}) : make_cpu_stage();
  loaded.answer.no_tracer = loaded.stage->prepare_tracer();
  if (is_open) sandbox::limit_data(request.data_limit_bytes);
  if (!is_open) sandbox::enter(request.data_limit_bytes, {.metadata = loaded.answer.sandbox.mounts});
  if (request.kind == TargetKind::kKernels) {
    loaded.target = make_kernel_target(*loaded.stage, util::read_document(fds[0].get(), kMaxCubin));
  } else {
    const std::string path = fmt::format("/proc/self/fd/{}", fds[0].get());
    loaded.target = make_library_target(path, request.symbol, request.returns_status);
  }
  return loaded;
}

LoadedTarget load(const Load& request, const std::vector<util::UniqueFd>& fds) {
  if (request.kind == TargetKind::kPython) throw ProtocolError("Python code needs a guest");
  return request.kind == TargetKind::kReference ? load_reference(request, fds) : load_solution(request, fds);
}

}  // namespace

int run_worker(util::UniqueFd channel) {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return serve_worker(std::move(channel), load);
}

}  // namespace fib::worker
