#include "worker/worker_main.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include <filesystem>

#include "util/errno_error.h"
#include "util/files.h"
#include "worker/private_files.h"
#include "worker/sandbox.h"
#include "worker/tracing.h"
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

// Files are opened first: their paths may be out of sight in the sandbox.
LoadedTarget load_solution(const Load& request) {
  const util::UniqueFd file(::open(request.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) throw util::errno_error("cannot open " + request.path);
  const std::string kernels = request.device.is_cuda() ? util::read_file(request.device.kernels_path) : "";
  LoadedTarget loaded;
  loaded.answer.private_files = enter_private_files(std::filesystem::current_path());
  give_up_tracing();
  drop_capabilities();
  // CUDA opens a socket and starts threads when it starts: what the sandbox refuses is refused after that.
  const bool host_code = request.kind == TargetKind::kSharedLibrary;
  loaded.stage =
      request.device.is_cuda() ? make_cuda_stage(request.device, kernels, {host_code}) : make_cpu_stage();
  loaded.answer.no_tracer = loaded.stage->prepare_tracer();
  enter_sandbox(request.data_limit_bytes, {});
  if (request.kind == TargetKind::kKernels) {
    loaded.target = make_kernel_target(*loaded.stage, util::read_document(file.get(), kMaxCubin));
  } else {
    const std::string path = fmt::format("/proc/self/fd/{}", file.get());
    loaded.target = make_library_target(path, request.symbol, request.returns_status);
  }
  return loaded;
}

LoadedTarget load(const Load& request, const std::vector<util::UniqueFd>& fds) {
  if (request.kind == TargetKind::kPython) throw ProtocolError("Python code needs a guest");
  return request.kind == TargetKind::kReference ? load_reference(request, fds) : load_solution(request);
}

}  // namespace

int run_worker(util::UniqueFd channel) {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return serve_worker(std::move(channel), load);
}

}  // namespace fib::worker
