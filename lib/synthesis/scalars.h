#pragma once

#include <optional>

#include "model/definition.h"
#include "model/workload.h"

namespace fib::synthesis {

// A sensible value for a scalar input of floats, by its name: 1/sqrt(head size) for softmax scales (or the
// sizes that the description names: "1/sqrt(128 + 64)"), 1e-6 for epsilons, 2.5 for routed_scaling_factor
// (DeepSeek-V3's), 1 for other scales and temperatures, 0.9 for top_p. Nothing for other names and tensors.
[[nodiscard]] std::optional<model::Scalar> sensible_scalar(const model::TensorSpec& input,
                                                           const model::AxisValues& axes);

}  // namespace fib::synthesis
