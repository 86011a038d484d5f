#pragma once

#include <string>

#include "roofline/shapes.h"

namespace fib::roofline {

struct Bytes {
  double bytes = 0;
  std::string rule;
};

// The bytes of bound.h's work_of. Pure.
[[nodiscard]] Bytes bytes_of(const Shapes& shapes);

}  // namespace fib::roofline
