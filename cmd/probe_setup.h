#pragma once

#include <atomic>
#include <functional>

#include "bench/probe.h"
#include "eval_inputs.h"
#include "measure_options.h"

// What the commands share that look at one solution at a time, outside of a run.
namespace fib::cmd {

// With this program, the usual cache, and what this machine has of Python and TVM-FFI. `device` is copied;
// `options` must outlive it.
[[nodiscard]] bench::ProbeSetup probe_setup(const bench::LaneDevice& device, const MeasureOptions& options);

// Calls `act` with each solution of the inputs and each of its workloads, until `interrupted` is true.
void for_each_try(
    const EvalInputs& inputs, const std::atomic<bool>& interrupted,
    const std::function<void(const dataset::Dataset&, const model::Solution&, const model::Workload&)>& act);

}  // namespace fib::cmd
