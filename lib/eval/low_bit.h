#pragma once

#include <string>

#include "model/definition.h"

// Low-bit rule: the outputs of block-scaled fp8 experts (mixture of experts) are compared element by element
// as by the default rule, but a share of 0.95 of the elements has to match where neither the run nor the
// workload says another share: in 8 bits, elements near a rounding border differ between right kernels. The
// share that matched is always recorded (correctness.extra.matched_ratio), also of outputs that fail.
namespace fib::eval {

inline constexpr double kLowBitMatchedRatio = 0.95;

[[nodiscard]] inline bool is_low_bit(const model::Definition& definition) {
  return definition.name.find("moe_fp8_block_scale") != std::string::npos;
}

}  // namespace fib::eval
