#pragma once

#include <optional>
#include <string>

#include "report/peaks.h"
#include "report/roofline_shapes.h"

namespace fib::report {

struct Flops {
  std::optional<double> flops;
  Arithmetic arithmetic = Arithmetic::fp32;
  std::string rule;
};

// The flops of roofline.h's work_of. Pure.
[[nodiscard]] Flops flops_of(const Shapes& shapes);

}  // namespace fib::report
