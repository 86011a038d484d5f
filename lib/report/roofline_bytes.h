#pragma once

#include <string>

#include "report/roofline_shapes.h"

namespace fib::report {

struct Bytes {
  double bytes = 0;
  std::string rule;
};

// The bytes of roofline.h's work_of. Pure.
[[nodiscard]] Bytes bytes_of(const Shapes& shapes);

}  // namespace fib::report
