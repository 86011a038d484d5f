#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/occupancy.h"
#include "model/measurement_record.h"
#include "model/solution.h"
#include "worker/worker_messages.h"

// What a trace says of the kernels that a call launches.
namespace fib::bench {

// `uses` as a worker told them; it may have made them up. A kernel is the solution's own where its name is a
// word of one of the sources. Pure.
[[nodiscard]] std::vector<model::RecordedKernel> kernel_records(const std::vector<worker::KernelUse>& uses,
                                                                const model::Solution& solution,
                                                                const MultiprocessorLimits& limits);

// The function's name of a symbol as Itanium's C++ ABI mangles it, without namespaces, template arguments and
// parameters: "scale" of "_ZN4mine5scaleIfEEvPT_". Any other symbol as it is. Pure.
[[nodiscard]] std::string function_name(std::string_view symbol);

// Whether these are not all of the `kernels` that a call launched: a worker names those that took longest.
// Pure.
[[nodiscard]] bool are_cut(const std::vector<worker::KernelUse>& uses, std::uint64_t kernels);

}  // namespace fib::bench
