#include "worker/guest.h"

#include <sys/prctl.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "sandbox/process.h"
#include "util/files.h"
#include "worker/descendants.h"
#include "worker/packed_folder.h"
#include "worker/probe_main.h"
#include "worker/python_target.h"
#include "worker/wire.h"
#include "worker/worker_loop.h"

namespace fib::worker {
namespace {

constexpr std::size_t kMaxGuestDocument = 64 * 1024 * 1024;
constexpr const char* kJitFolder = "jit";  // as in guest.py

// The functions of guest.h know no object: one process is one guest.
GuestClaims& claims() {
  static GuestClaims only;
  return only;
}
// What holds since fib_guest_enter().
struct Entered {
  sandbox::Mode mode = sandbox::Mode::kAuto;
  sandbox::Held held;
};
Entered& entered() {
  static Entered only;
  return only;
}

std::vector<std::filesystem::path> paths_of(std::string_view lines) {
  std::vector<std::filesystem::path> paths;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    if (end > begin) paths.emplace_back(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return paths;
}

// Beside the request to load: the document, then an extension's library and what just-in-time compilers made,
// where there are such. The guest could not open them by path: its private files hide some.
struct GuestFiles {
  GuestFiles(const Load& request, const std::vector<util::UniqueFd>& fds) {
    const std::size_t needed = request.has_jit_files ? 2 : 1;
    if (fds.size() < needed || fds.size() > needed + 1)
      throw ProtocolError("a guest loads Python code with a document beside the request");
    document = PythonDocument::parse(util::read_document(fds[0].get(), kMaxGuestDocument));
    if (fds.size() > needed) document.extension = fmt::format("/proc/self/fd/{}", fds[1].get());
    if (request.has_jit_files) jit_files = util::read_document(fds.back().get(), kMostPackedBytes);
  }
  PythonDocument document;
  std::string jit_files;
};

// Inside the sandbox: they come from another worker of this solution. Without them the compilers make them
// anew.
void unpack(const std::string& jit_files, const std::filesystem::path& folder) {
  if (jit_files.empty()) return;
  try {
    unpack_folder(jit_files, folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "what just-in-time compilers made before cannot be used: %s\n", error.what());
  }
}

class GuestLoader : public Loader {
 public:
  GuestLoader(const FibGuestCallbacks& callbacks, std::string description)
      : callbacks_(callbacks), description_(std::move(description)) {}

  void confine(const Confine& /*request*/) override { throw ProtocolError("a guest is confined already"); }

  std::unique_ptr<Stage> start(const Start& request, const std::vector<util::UniqueFd>& fds) override {
    const bool on_cuda = request.device.is_cuda();
    if (request.kind != TargetKind::kPython || fds.size() != (on_cuda ? 1 : 0))
      throw ProtocolError("a guest runs Python code, on CUDA with fib's kernels beside the request");
    data_limit_bytes_ = request.data_limit_bytes;
    // torch's streams and those of extensions begin at the default stream: fib's work goes there too.
    auto stage = on_cuda
                     ? make_cuda_stage(request.device, util::read_document(fds[0].get(), kMaxGuestDocument),
                                       {true, WorkStream::kDefault})
                     : make_cpu_stage();
    no_tracer_ = stage->prepare_tracer();
    expect_success(callbacks_.start(on_cuda ? "cuda" : "cpu", request.threads), claims());
    return stage;
  }

  std::unique_ptr<Target> load(const Load& request, const std::vector<util::UniqueFd>& fds, Stage& stage,
                               Loaded& answer) override {
    const GuestFiles files(request, fds);
    answer = {description_, entered().held, no_tracer_};
    // torch.compile locks files; fib's own locks are out of sight of private files.
    const bool is_open = entered().mode == sandbox::Mode::kOff;
    if (is_open) sandbox::limit_data(data_limit_bytes_);
    const bool mounts = entered().held.mounts;
    if (!is_open) sandbox::enter(data_limit_bytes_, {.processes = true, .locks = mounts, .metadata = mounts});
    const auto jit_folder = std::filesystem::current_path() / kJitFolder;
    unpack(files.jit_files, jit_folder);
    return make_python_target(callbacks_, claims(), stage, files.document, jit_folder, files.jit_files);
  }

 private:
  const FibGuestCallbacks& callbacks_;
  std::string description_;
  std::uint64_t data_limit_bytes_ = 0;
  std::string no_tracer_;
};

}  // namespace
}  // namespace fib::worker

using namespace fib::worker;  // NOLINT: the functions below are C

int fib_guest_enter(const char* files, const char* packages) {
  try {
    auto access = fib::sandbox::FileAccess::parse(files);
    // Tools that look into the process run where nothing is confined.
    if (access.mode != fib::sandbox::Mode::kOff) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    adopt_descendants();
    fib::sandbox::offer_to_oom_killer();
    for (auto& path : paths_of(packages)) access.readable.push_back(std::move(path));
    entered() = {access.mode, fib::sandbox::confine_files(access, std::filesystem::current_path())};
    if (access.mode != fib::sandbox::Mode::kOff) fib::sandbox::drop_capabilities();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return -1;
  }
}

void fib_guest_open_cuda() { open_cuda_ahead(); }

int fib_guest_serve(int channel, const char* description, const FibGuestCallbacks* callbacks) {
  GuestLoader loader(*callbacks, description);
  return serve_worker(fib::util::UniqueFd(channel), loader);
}

int fib_guest_probe(const char* folder, const FibGuestCallbacks* callbacks) {
  return run_guest_probe(folder, *callbacks, claims());
}

void fib_guest_fail(const char* text) { claims().error = text; }

void fib_guest_claim(const char* dtype, int rank, const std::int64_t* shape, std::uint64_t address) {
  GuestClaims::Output output;
  output.claim.shape.assign(shape, shape + rank);
  output.address = address;
  output.claim.dtype = fib::tensor::dtype_from_name(dtype);
  if (!output.claim.dtype)
    std::fprintf(stderr, "output %zu has the dtype %s\n", claims().outputs.size() + 1, dtype);
  claims().outputs.push_back(std::move(output));
}
