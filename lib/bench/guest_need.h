#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/config.h"
#include "bench/plan.h"

namespace fib::bench {

// The interpreters that something takes: how many, over all devices, and what they import before they are
// asked for anything.
struct GuestNeed {
  std::size_t guests = 0;
  std::vector<std::string> packages = {"torch"};
};

// What a plan takes: one a solution in Python and point of the sweep, and, where references run in Python,
// one a definition and point. Pure.
[[nodiscard]] GuestNeed guests_of(const Plan& plan, bool references_run_in_python);

}  // namespace fib::bench
