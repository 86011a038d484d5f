#include "try_each.h"

namespace fib::cmd {

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
