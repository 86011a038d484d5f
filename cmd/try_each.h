#pragma once

#include <atomic>
#include <functional>

#include "eval_inputs.h"

namespace fib::cmd {

// Calls `act` with each solution of the inputs and each of its workloads, until `interrupted` is true.
void for_each_try(
    const EvalInputs& inputs, const std::atomic<bool>& interrupted,
    const std::function<void(const dataset::Dataset&, const model::Solution&, const model::Workload&)>& act);

}  // namespace fib::cmd
