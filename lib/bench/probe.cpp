#include "bench/probe.h"

#include <fcntl.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "bench/artifact_load.h"
#include "bench/build_pool.h"
#include "bench/input_files.h"
#include "bench/memory_limits.h"
#include "bench/python_code.h"
#include "bench/secret.h"
#include "bench/single_build.h"
#include "compile/launch_plan.h"
#include "eval/layout.h"
#include "sandbox/tool_room.h"
#include "synthesis/inputs.h"
#include "util/capture.h"
#include "util/clock.h"
#include "util/files.h"
#include "worker/judge_document.h"
#include "worker/probe_main.h"
#include "worker/worker_messages.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;
using End = ProbeOutcome::End;

constexpr std::size_t kMostOutput = 5 * 1024 * 1024;
constexpr const char* kRoom = "room";  // beside the probe's folder
constexpr std::uint64_t kUnlimitedBytes = std::uint64_t{1} << 62U;

void append(std::optional<std::vector<std::string>>& list, const std::vector<std::string>& more) {
  if (more.empty()) return;
  if (!list) list.emplace();
  list->insert(list->end(), more.begin(), more.end());
}

std::string why_not_on_the_cpu(const compile::Artifact& artifact) {
  if (artifact.kind == compile::Artifact::Kind::kTorchExtension)
    return "it needs the real torch, so it runs in Python, where AddressSanitizer cannot look";
  return "on the CPU there is nothing of Python code that AddressSanitizer could look at: it is not compiled";
}

template <typename Paths>
void append(std::vector<fs::path>& paths, const Paths& more) {
  paths.insert(paths.end(), more.begin(), more.end());
}

// The libraries that this process has loaded: fib's program, which a probe is, needs them.
std::vector<fs::path> loaded_libraries() {
  std::vector<fs::path> files;
  const auto add = [](dl_phdr_info* info, std::size_t, void* data) {
    const std::string_view name = info->dlpi_name;
    if (name.starts_with('/')) static_cast<std::vector<fs::path>*>(data)->emplace_back(name);
    return 0;
  };
  ::dl_iterate_phdr(add, &files);
  return files;
}

// One probe, in a folder of its own.
class Probe {
 public:
  Probe(Session& session, const RunConfig& config, const ProbeTool& tool)
      : session_(session),
        config_(config),
        tool_(tool),
        device_(session.environment().devices.front()),
        folder_(session.temporary(), "probe-") {}

  ProbeOutcome run(const model::Solution& solution, const model::Definition& definition,
                   const model::Workload& workload, const fs::path& root) {
    const BuildOutcome build = build_single(session_, config_, solution, definition);
    if (!build.error.empty()) return {End::not_done, build.error, {}, 0};
    using Outcome = compile::BuildResult::Outcome;
    if (build.result.outcome == Outcome::kUnsupported) return {End::not_done, build.result.log, {}, 0};
    if (build.result.outcome == Outcome::kFailed) return {End::not_built, build.result.log, {}, 0};
    const auto& artifact = build.result.artifact;
    const bool is_python = runs_in_guest(artifact);
    if (is_python && !device_.is_cuda()) return {End::not_done, why_not_on_the_cpu(artifact), {}, 0};
    const fs::path folder = folder_.path() / "probe";
    fs::create_directories(folder / worker::kProbeOwn);
    write_files(folder, artifact, solution, definition, workload, root);
    auto spec = is_python ? guest_of(folder) : program_in(folder);
    spec.arguments.insert(spec.arguments.begin(), tool_.words.begin(), tool_.words.end());
    if (has_room()) put_in_room(spec, files_of_room(folder, artifact));
    return call(std::move(spec));
  }

 private:
  void write_files(const fs::path& folder, const compile::Artifact& artifact, const model::Solution& solution,
                   const model::Definition& definition, const model::Workload& workload,
                   const fs::path& root) {
    auto document = document_of(definition, workload, root);
    document.secret = config_.seed.value_or("probe");
    for (const auto& [input, file] : document.blobs) inputs_.push_back(file);
    worker::Open open{eval::make_layout(definition, workload), {}};
    if (artifact.kind == compile::Artifact::Kind::kKernels) {
      open.plan = compile::resolve(compile::parse_launch_plan(solution, definition), artifact.kernels,
                                   model::axis_values(definition, workload.axes));
    }
    worker::Start start;
    start.kind = runs_in_guest(artifact) ? worker::TargetKind::kPython : target_kind(artifact);
    session_.prepare({});
    const auto device = session_.processes(device_, config_.flush).device;
    start.device.uuid = device.uuid;
    start.device.kernels_path = device.kernels_path;
    start.data_limit_bytes = tool_.limits_data ? data_limit() : kUnlimitedBytes;
    util::write_file_atomic(folder / worker::kProbeWorkload, document.to_json());
    util::write_file_atomic(folder / worker::kProbeOpen, open.encode());
    util::write_file_atomic(folder / worker::kProbeLoad, load_request(artifact).encode());
    const worker::Confine confine{files_of_probe().to_json(), artifact.runtime.string(), device_.is_cuda()};
    util::write_file_atomic(folder / worker::kProbeConfine, confine.encode());
    util::write_file_atomic(folder / worker::kProbeStart, start.encode());
    util::write_file_atomic(folder / worker::kProbeToken, token_);
    const fs::path file = folder / worker::kProbeSolution;
    if (artifact.kind != compile::Artifact::Kind::kPythonModule)
      fs::copy_file(artifact.file, file, fs::copy_options::overwrite_existing);
    if (!runs_in_guest(artifact)) return;
    auto python = solution_document(solution, definition, artifact);
    if (artifact.kind == compile::Artifact::Kind::kTorchExtension) python.extension = file.string();
    util::write_file_atomic(folder / worker::kProbePython, python.to_json());
  }

  [[nodiscard]] worker::ChildSpec program_in(const fs::path& folder) const {
    worker::ChildSpec spec;
    spec.arguments = {session_.environment().program, "__probe"};
    spec.environment = worker::clean_environment(folder_.path());
    spec.folder = folder;
    spec.file_size_limit = kFileSizeLimit;
    return spec;
  }

  [[nodiscard]] worker::ChildSpec guest_of(const fs::path& folder) const {
    worker::GuestSetup guest;
    guest.python = session_.environment().python->path;
    guest.device_uuid = device_.uuid;
    guest.probe = folder;
    return worker::guest_spec(guest, files_of_probe(), folder / worker::kProbeOwn, kFileSizeLimit);
  }

  // Whether tool and solution are in a room together.
  [[nodiscard]] bool has_room() const {
    return !tool_.words.empty() && session_.children().files.mode != sandbox::Mode::kOff;
  }

  [[nodiscard]] sandbox::FileAccess files_of_room(const fs::path& folder,
                                                  const compile::Artifact& artifact) const {
    sandbox::FileAccess files = session_.children().files;
    files.readable.emplace_back(session_.environment().program);
    append(files.readable, loaded_libraries());
    const auto device = session_.processes(device_, config_.flush).device;
    for (const auto& path : {fs::path(device.kernels_path), artifact.runtime}) {
      if (!path.empty()) files.readable.push_back(path);
    }
    append(files.readable, files_of_tool(tool_.words.front()));
    append(files.readable, inputs_);
    files.writable = tool_.writable;
    files.writable.push_back(folder);
    return files;
  }

  // What the probe does for itself. A sanitizer that looks for the lines of a source reads its own program
  // first.
  [[nodiscard]] sandbox::FileAccess files_of_probe() const {
    sandbox::FileAccess files = session_.children().files;
    if (has_room()) files.mode = sandbox::Mode::kOff;
    files.own_view = false;
    files.readable.emplace_back(session_.environment().program);
    return files;
  }

  void put_in_room(worker::ChildSpec& spec, const sandbox::FileAccess& files) const {
    const sandbox::ToolRoom room{files, folder_.path() / kRoom};
    fs::create_directories(room.own);
    spec.arguments = sandbox::words_in_room(session_.environment().program, room, spec.arguments);
  }

  ProbeOutcome call(worker::ChildSpec spec) {
    spec.environment.insert(spec.environment.end(), tool_.environment.begin(), tool_.environment.end());
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
    util::UniqueFd write_end(pipe[1]);
    util::Capture capture(util::UniqueFd(pipe[0]), kMostOutput);
    const util::UniqueFd no_channel(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const std::uint32_t id = session_.spawner().spawn(spec, no_channel.get(), write_end.get());
    write_end.reset();
    const auto limit = static_cast<std::int64_t>(config_.timeout_s * 1e9);
    const std::int64_t deadline = util::monotonic_ns() + limit;
    std::optional<int> status;
    while (!status && !session_.interrupted() && util::monotonic_ns() < deadline)
      status = session_.spawner().wait(id, 100);
    if (!status) session_.spawner().kill(id);
    capture.stop(1000);
    return outcome_of(status, capture.take());
  }

  [[nodiscard]] ProbeOutcome outcome_of(const std::optional<int>& status, const std::string& output) const {
    ProbeOutcome outcome;
    bool is_begun = false;
    bool is_done = false;
    std::string said;
    for (std::size_t begin = 0; begin < output.size();) {
      const std::size_t end = std::min(output.find('\n', begin), output.size());
      const std::string line = output.substr(begin, end - begin);
      begin = end + 1;
      const bool is_own = line.starts_with(worker::kProbeError);
      const bool begins = line == worker::kProbeCalls + token_;
      const bool ends = line == worker::kProbeDone + token_;
      is_begun = is_begun || begins;
      is_done = is_done || ends;
      if (!is_own) outcome.output += line + "\n";
      if (is_own && (outcome.output == "\n" || outcome.output.ends_with("\n\n")))
        outcome.output.pop_back();  // the probe's words begin with a newline
      if (is_own && !begins && !ends) said = line.substr(std::string_view(worker::kProbeError).size());
    }
    if (!status) {
      outcome.reason = session_.interrupted()
                           ? "interrupted"
                           : fmt::format("no end after {} s (--timeout)", config_.timeout_s);
      outcome.end = session_.interrupted() || !is_begun ? End::not_done : End::died;
      return outcome;
    }
    outcome.exit_code = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
    outcome.end = is_done ? End::called : is_begun || !said.empty() ? End::died : End::not_done;
    outcome.reason = !said.empty()          ? said
                     : WIFSIGNALED(*status) ? fmt::format("its process ended by signal {}", WTERMSIG(*status))
                     : is_done              ? ""
                               : fmt::format("its process ended with exit code {}", outcome.exit_code);
    return outcome;
  }

  Session& session_;
  const RunConfig& config_;
  const ProbeTool& tool_;
  const LaneDevice& device_;
  util::TemporaryFolder folder_;
  std::vector<fs::path> inputs_;  // the files of the workload's inputs, which the probe reads
  const std::string token_ =
      make_secret();  // what the solution prints is not taken for the probe's own words
};

}  // namespace

model::Solution for_tool(model::Solution solution, const ProbeTool& tool) {
  if (tool.cflags.empty() && tool.cuda_cflags.empty() && tool.ld_flags.empty()) return solution;
  if (!solution.spec.compile_options) solution.spec.compile_options.emplace();
  append(solution.spec.compile_options->cflags, tool.cflags);
  append(solution.spec.compile_options->cuda_cflags, tool.cuda_cflags);
  append(solution.spec.compile_options->ld_flags, tool.ld_flags);
  return solution;
}

std::vector<fs::path> files_of_tool(const std::string& program) {
  auto files = sandbox::folders_of_program(program);
  // Nsight Compute's programs lie beside their sections and libraries.
  std::vector<fs::path> places;
  for (const auto& file : files) {
    std::error_code error;
    if (fs::is_regular_file(file, error)) places.push_back(file.parent_path());
  }
  for (const auto& folder : places) {
    if (folder.filename() != "bin" && !sandbox::holds_more_than_programs(folder)) files.push_back(folder);
  }
  files.emplace_back("/opt/nvidia");
  return files;
}

ProbeOutcome run_probe(Session& session, const RunConfig& config, const model::Solution& solution,
                       const model::Definition& definition, const model::Workload& workload,
                       const fs::path& dataset_root, const ProbeTool& tool) {
  session.begin(config);
  return Probe(session, config, tool).run(for_tool(solution, tool), definition, workload, dataset_root);
}

}  // namespace fib::bench
