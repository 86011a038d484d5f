#include "probe_setup.h"

#include <filesystem>

#include "compile/python_interpreter.h"
#include "dataset/paths.h"

namespace fib::cmd {

bench::ProbeSetup probe_setup(const bench::LaneDevice& device, const MeasureOptions& options) {
  const auto python = compile::find_python();
  return {device,
          std::filesystem::read_symlink("/proc/self/exe").string(),
          dataset::default_cache_path(),
          python,
          compile::find_tvm_ffi(python),
          options.config};
}

void for_each_try(
    const EvalInputs& inputs, const std::atomic<bool>& interrupted,
    const std::function<void(const dataset::Dataset&, const model::Solution&, const model::Workload&)>& act) {
  for (const dataset::Dataset& dataset : inputs.datasets) {
    for (const auto& [name, solution] : dataset.solutions) {
      for (const model::Workload& workload : dataset.workloads.at(solution.definition)) {
        if (!interrupted) act(dataset, solution, workload);
      }
    }
  }
}

}  // namespace fib::cmd
