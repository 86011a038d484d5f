#include "bench/single_build.h"

#include <filesystem>
#include <utility>

#include "bench/solution_files.h"

namespace fib::bench {

SingleBuild::SingleBuild(const ProbeSetup& setup, const std::atomic<bool>& interrupted)
    : setup_(setup),
      interrupted_(interrupted),
      spawner_(setup.program),
      temporary_(std::filesystem::temp_directory_path(), spawner_),
      watch_(interrupted, spawner_),
      children_{setup.program, temporary_.path()} {
  children_.files = files_of_solutions(setup.config, setup.device.kind, setup.python);
}

BuildOutcome SingleBuild::build(const model::Solution& solution, const model::Definition& definition) {
  const LaneDevice& device = setup_.device;
  const BuildJob job{
      &solution, &definition,
      build_target(device.kind, device.architecture, setup_.config, setup_.python, setup_.tvm_ffi)};
  auto built = build_all(
      spawner_, children_, {job}, setup_.cache, setup_.config.build_timeout_s, 1,
      [](const auto&, const auto&) {}, [this] { return interrupted_.load(); });
  if (built.empty()) return {{}, "interrupted"};
  return std::move(built.begin()->second);
}

}  // namespace fib::bench
