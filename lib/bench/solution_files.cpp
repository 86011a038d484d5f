#include "bench/solution_files.h"

#include <algorithm>
#include <cstdio>

#include "bench/memory_limits.h"
#include "compile/compiler_files.h"
#include "sandbox/process.h"
#include "util/command.h"
#include "util/files.h"
#include "util/machine.h"

namespace fib::bench {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

}  // namespace

sandbox::FileAccess files_of_solutions(const RunConfig& config, model::DeviceKind device,
                                       const std::optional<compile::PythonInterpreter>& python) {
  compile::BuildTarget target{device, {}, python};
  target.sandbox = config.sandbox;
  target.readable = config.sandbox_readable;
  auto access = compile::files_of_compilers(target);
  access.endless_devices = true;
  access.gpu = device == model::DeviceKind::cuda;
  access.private_bytes = std::clamp(util::physical_memory() / 8, 256 * kMiB, 8192 * kMiB);
  return access;
}

void expect_whole_sandbox(const std::string& program) {
  const util::TemporaryFolder place(std::filesystem::temp_directory_path(), "fib-sandbox-");
  const auto tried = util::run_command({program, "__sandbox"}, place.path());
  if (!tried.succeeded()) throw Error("--sandbox strict: {}", tried.output);
}

int try_sandbox() {
  std::string missing;
  try {
    const auto held = sandbox::confine_files({}, std::filesystem::current_path());
    if (!held.mounts)
      missing = "this system allows no mount namespaces (unprivileged user namespaces, or root)";
    if (held.landlock == 0)
      missing +=
          std::string(missing.empty() ? "this system has no" : ", and has no") + " Landlock (Linux 5.13)";
    sandbox::enter(data_limit(), {});
  } catch (const Error& error) {
    missing += (missing.empty() ? "" : ", and ") + std::string(error.what());
  }
  std::fputs(missing.c_str(), stdout);
  std::fflush(stdout);
  return missing.empty() ? 0 : 1;
}

}  // namespace fib::bench
