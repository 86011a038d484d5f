#include "bench/probe.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "bench/build_pool.h"
#include "bench/input_files.h"
#include "bench/interrupt_watch.h"
#include "bench/memory_limits.h"
#include "bench/python_code.h"
#include "bench/run_folder.h"
#include "bench/solution_files.h"
#include "compile/builder.h"
#include "compile/launch_plan.h"
#include "eval/layout.h"
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
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62U;

worker::TargetKind kind_of(const compile::Artifact& artifact) {
  using Kind = compile::Artifact::Kind;
  if (artifact.kind == Kind::kKernels) return worker::TargetKind::kKernels;
  if (artifact.kind == Kind::kTorchHeaders) return worker::TargetKind::kTorchHeaders;
  return artifact.kind == Kind::kTvmFfi ? worker::TargetKind::kTvmFfi : worker::TargetKind::kSharedLibrary;
}

void append(std::optional<std::vector<std::string>>& list, const std::vector<std::string>& more) {
  if (more.empty()) return;
  if (!list) list.emplace();
  list->insert(list->end(), more.begin(), more.end());
}

// One probe: its processes, its folder.
class Probe {
 public:
  Probe(const ProbeSetup& setup, const ProbeTool& tool, const std::atomic<bool>& interrupted)
      : setup_(setup),
        tool_(tool),
        interrupted_(interrupted),
        spawner_(setup.program),
        temporary_(fs::temp_directory_path(), spawner_),
        watch_(interrupted, spawner_),
        children_{setup.program, temporary_.path()} {
    children_.files = files_of_solutions(setup.config, setup.device.kind, setup.python);
    // A sanitizer that looks for the lines of a source reads its own program first.
    children_.files.own_view = false;
    children_.files.readable.emplace_back(setup.program);
  }

  ProbeOutcome run(const model::Solution& solution, const model::Definition& definition,
                   const model::Workload& workload, const fs::path& root) {
    BuildOutcome build = build_one(solution, definition);
    if (!build.error.empty()) return {End::not_done, build.error, {}, 0};
    using Outcome = compile::BuildResult::Outcome;
    if (build.result.outcome == Outcome::kUnsupported) return {End::not_done, build.result.log, {}, 0};
    if (build.result.outcome == Outcome::kFailed) return {End::not_built, build.result.log, {}, 0};
    const fs::path folder = temporary_.path() / "probe";
    fs::create_directories(folder / "own");
    write_files(folder, build.result.artifact, solution, definition, workload, root);
    return call(folder);
  }

 private:
  BuildOutcome build_one(const model::Solution& solution, const model::Definition& definition) {
    const LaneDevice& device = setup_.device;
    BuildJob job{&solution,
                 &definition,
                 {device.kind, device.architecture, setup_.python, setup_.config.sandbox,
                  setup_.config.sandbox_readable, 1, setup_.tvm_ffi, setup_.config.torch}};
    auto built = build_all(
        spawner_, children_, {job}, setup_.cache, setup_.config.build_timeout_s, 1,
        [](const auto&, const auto&) {}, [this] { return interrupted_.load(); });
    if (built.empty()) return {{}, "interrupted"};
    return std::move(built.begin()->second);
  }

  void write_files(const fs::path& folder, const compile::Artifact& artifact, const model::Solution& solution,
                   const model::Definition& definition, const model::Workload& workload,
                   const fs::path& root) {
    PlannedEvaluation planned;
    planned.definition = &definition;
    planned.solution = &solution;
    planned.workload = &workload;
    auto files = input_files(planned, root, dataset::Confinement::to_root);
    worker::JudgeDocument document;
    document.definition = definition;
    document.workload = workload;
    document.made = synthesis::inputs_to_make(definition, workload, files.missing);
    for (const auto& input : files.missing) files.found.erase(input);
    document.blobs = std::move(files.found);
    document.secret = setup_.config.seed.value_or("probe");
    worker::Open open{eval::make_layout(definition, workload), {}};
    if (artifact.kind == compile::Artifact::Kind::kKernels) {
      open.plan = compile::resolve(compile::parse_launch_plan(solution, definition), artifact.kernels,
                                   model::axis_values(definition, workload.axes));
    }
    worker::Load load;
    load.symbol = artifact.symbol;
    load.extension = artifact.kind == compile::Artifact::Kind::kTorchHeaders ? artifact.module : "";
    load.returns_status = artifact.returns_status;
    load.returns_values = artifact.style.style == compile::CallingStyle::kValueReturning;
    worker::Start start;
    start.kind = kind_of(artifact);
    if (setup_.device.is_cuda()) {
      start.device.uuid = setup_.device.uuid;
      start.device.kernels_path =
          build_device_kernels(spawner_, children_, setup_.device.architecture, setup_.cache).string();
    }
    start.files = children_.files.to_json();
    start.data_limit_bytes = tool_.limits_data ? data_limit() : kNoLimit;
    start.runtime = artifact.runtime.string();
    util::write_file_atomic(folder / worker::kProbeWorkload, document.to_json());
    util::write_file_atomic(folder / worker::kProbeOpen, open.encode());
    util::write_file_atomic(folder / worker::kProbeLoad, load.encode());
    util::write_file_atomic(folder / worker::kProbeStart, start.encode());
    fs::copy_file(artifact.file, folder / worker::kProbeSolution, fs::copy_options::overwrite_existing);
  }

  ProbeOutcome call(const fs::path& folder) {
    worker::ChildSpec spec;
    spec.arguments = tool_.words;
    spec.arguments.insert(spec.arguments.end(), {setup_.program, "__probe"});
    spec.environment = worker::clean_environment(temporary_.path());
    spec.environment.insert(spec.environment.end(), tool_.environment.begin(), tool_.environment.end());
    spec.folder = folder;
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
    util::UniqueFd write_end(pipe[1]);
    util::Capture capture(util::UniqueFd(pipe[0]), kMostOutput);
    const util::UniqueFd no_channel(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const std::uint32_t id = spawner_.spawn(spec, no_channel.get(), write_end.get());
    write_end.reset();
    const auto limit = static_cast<std::int64_t>(setup_.config.timeout_s * 1e9);
    const std::int64_t deadline = util::monotonic_ns() + limit;
    std::optional<int> status;
    while (!status && !interrupted_ && util::monotonic_ns() < deadline) status = spawner_.wait(id, 100);
    if (!status) spawner_.kill(id);
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
      if (line == worker::kProbeCalls) is_begun = true;
      if (line == worker::kProbeDone) is_done = true;
      if (!is_own) outcome.output += line + "\n";
      if (is_own && line != worker::kProbeCalls && line != worker::kProbeDone)
        said = line.substr(std::string_view(worker::kProbeError).size());
    }
    if (!status) {
      outcome.reason = interrupted_ ? "interrupted"
                                    : fmt::format("no end after {} s (--timeout)", setup_.config.timeout_s);
      outcome.end = interrupted_ || !is_begun ? End::not_done : End::died;
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

  const ProbeSetup& setup_;
  const ProbeTool& tool_;
  const std::atomic<bool>& interrupted_;
  worker::Spawner spawner_;
  RunFolder temporary_;
  InterruptWatch watch_;
  worker::ChildSetup children_;
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

ProbeOutcome run_probe(const ProbeSetup& setup, const model::Solution& solution,
                       const model::Definition& definition, const model::Workload& workload,
                       const fs::path& dataset_root, const ProbeTool& tool,
                       const std::atomic<bool>& interrupted) {
  if (compile::needs_python(solution))
    return {End::not_done, "solutions in Python cannot be looked at", {}, 0};
  return Probe(setup, tool, interrupted).run(for_tool(solution, tool), definition, workload, dataset_root);
}

}  // namespace fib::bench
