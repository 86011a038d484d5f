#pragma once

#include <map>
#include <string>

#include "model/definition.h"
#include "model/workload.h"

namespace fib::scaffold {

// A workload of these sizes: random tensors, and the values that `scalars` gives to scalar inputs ("eps" ->
// "1e-6", as JSON has it). Its uuid follows from the definition's name and all of this, so that the same
// workload has the same one. Pure. Throws Error naming what is missing, what the definition does not have, or
// what is no number or flag.
[[nodiscard]] model::Workload new_workload(const model::Definition& definition, const model::AxisValues& axes,
                                           const std::map<std::string, std::string>& scalars);

}  // namespace fib::scaffold
