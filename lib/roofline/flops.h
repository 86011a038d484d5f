#pragma once

#include <optional>
#include <string>

#include "roofline/peaks.h"
#include "roofline/shapes.h"

namespace fib::roofline {

struct Flops {
  std::optional<double> flops;
  Arithmetic arithmetic = Arithmetic::fp32;
  std::string rule;
};

// The flops of bound.h's work_of. Pure.
[[nodiscard]] Flops flops_of(const Shapes& shapes);

}  // namespace fib::roofline
