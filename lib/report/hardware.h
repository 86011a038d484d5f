#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/outcomes.h"

namespace fib::report {

// Reports have a part for each hardware, each of which asks the whole dataset: of more than this, which no
// honest dataset has, those with fewer traces have none.
inline constexpr std::size_t kMostHardware = 64;

struct ShownHardware {
  std::vector<std::string> names;  // sorted
  std::size_t left_out = 0;

  // What to say of those that are left out; empty: none is.
  [[nodiscard]] std::string left_out_text() const;
};

// The hardware of the traces that `selection`, which names none, is about. Pure.
[[nodiscard]] ShownHardware shown_hardware(const dataset::Dataset& dataset, const Selection& selection);

}  // namespace fib::report
