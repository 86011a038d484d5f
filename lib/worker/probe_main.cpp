#include "worker/probe_main.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "sandbox/process.h"
#include "synthesis/input_sets.h"
#include "synthesis/inputs.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"
#include "util/machine.h"
#include "util/unique_fd.h"
#include "worker/exact_memory.h"
#include "worker/judge_document.h"
#include "worker/solution_target.h"
#include "worker/stage.h"
#include "worker/tvm_ffi_target.h"
#include "worker/worker_messages.h"

namespace fib::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kCalls = 2;  // what is left of the first one meets the second

void say(const std::string& line) {  // what the solution printed may lack its newline
  std::fputs(("\n" + line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

// The inputs of the workload, laid out by the layout.
std::vector<std::byte> make_inputs(const JudgeDocument& document, const eval::Layout& layout) {
  auto made = synthesis::make_inputs(document.definition, document.workload, document.made, document.blobs);
  const synthesis::InputSets sets(
      document.definition, made.workload, layout, document.blobs,
      synthesis::Replacements{std::move(made.tensors), std::move(made.exponents)});
  std::vector<std::byte> inputs(layout.input_bytes);
  sets.fill(util::Sha256().add("probe").add(document.secret).hex(), inputs.data(), util::usable_cores());
  return inputs;
}

// What every probe finds in its folder.
struct Probe {
  explicit Probe(const fs::path& folder)
      : start(Start::decode(util::read_file(folder / kProbeStart))),
        open(Open::decode(util::read_file(folder / kProbeOpen))),
        inputs(make_inputs(JudgeDocument::parse(util::read_file(folder / kProbeWorkload)), open.layout)),
        token(util::read_file(folder / kProbeToken)),
        kernels(start.device.is_cuda() ? util::read_file(start.device.kernels_path) : "") {}

  Start start;
  Open open;
  std::vector<std::byte> inputs;
  std::string token;
  std::string kernels;
};

void call(const Probe& probe, Stage& stage, Target& target) {
  const auto& layout = probe.open.layout;
  std::vector<std::byte> scalars(8 * layout.inputs.size());
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    const auto& slot = layout.inputs[i];
    if (slot.scalar) std::memcpy(scalars.data() + 8 * i, probe.inputs.data() + slot.offset, 8);
  }
  const auto memory = make_exact_memory(stage, probe.start.device.is_cuda(), layout, probe.inputs);
  target.open({memory->layout(), probe.open.plan}, memory->buffers(scalars.data()));
  say(kProbeCalls + probe.token);
  for (int call = 0; call < kCalls; ++call) {
    target.prepare();
    const bool is_last = call + 1 == kCalls;
    if (is_last) memory->begin_profile();
    target.call();
    memory->wait();
    if (is_last) memory->end_profile();
    (void)target.collect();
    target.forget();
  }
  memory->wait();
  say(kProbeDone + probe.token);
}

void probe_compiled(const fs::path& folder) {
  const Probe probe(folder);
  const auto confine = Confine::decode(util::read_file(folder / kProbeConfine));
  const auto load = Load::decode(util::read_file(folder / kProbeLoad));
  const auto& start = probe.start;
  if (!confine.runtime.empty()) load_tvm_ffi_runtime(confine.runtime);
  const auto access = sandbox::FileAccess::parse(confine.files);
  const bool is_open = access.mode == sandbox::Mode::kOff;
  // Read before files are out of reach. A sanitizer reads the lines of its source there, too.
  const auto file = util::make_sealed_document("fib-solution", util::read_file(folder / kProbeSolution));
  sandbox::offer_to_oom_killer();  // under a sanitizer nothing limits its memory
  const auto held = sandbox::confine_files(access, folder / kProbeOwn);
  if (!is_open) sandbox::drop_capabilities();
  const auto stage = make_solution_stage(start.kind, start.device, probe.kernels);
  if (!is_open) sandbox::enter(start.data_limit_bytes, {.metadata = held.mounts});
  const auto target =
      make_solution_target(start.kind, fmt::format("/proc/self/fd/{}", file.get()), load, *stage);
  call(probe, *stage, *target);
}

void probe_python(const fs::path& folder, const FibGuestCallbacks& callbacks, GuestClaims& claims) {
  const Probe probe(folder);
  const auto document = PythonDocument::parse(util::read_file(folder / kProbePython));
  const auto stage = make_cuda_stage(probe.start.device, probe.kernels, {true, WorkStream::kDefault});
  expect_success(callbacks.start("cuda", probe.start.threads), claims);
  // Nothing made by just-in-time compilers is kept of a probe.
  const auto target = make_python_target(callbacks, claims, *stage, document, folder / kProbeOwn, {});
  call(probe, *stage, *target);
}

// The exit code.
template <typename Act>
int said(Act act) {
  try {
    act();
    return 0;
  } catch (const std::exception& error) {
    say(kProbeError + std::string(error.what()));
    return 1;
  }
}

}  // namespace

int run_probe(const fs::path& folder) {
  return said([&] { probe_compiled(folder); });
}

int run_guest_probe(const fs::path& folder, const FibGuestCallbacks& callbacks, GuestClaims& claims) {
  return said([&] { probe_python(folder, callbacks, claims); });
}

}  // namespace fib::worker
