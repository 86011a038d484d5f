#pragma once

#include <cstddef>
#include <set>
#include <string_view>

#include "bench/call_plan.h"

namespace fib::bench {

constexpr int kLooksPerTrial = 3;
// Of a plan that may end sooner: in the first trials, which are always made, as many; in each later one so
// many.
constexpr int kLooksPerLaterTrial = 1;

// Before which of the calls that count, numbered from 0 over all trials, a look is made by the second clock
// of a device: as many as kLooksPerTrial or kLooksPerLaterTrial in each trial (fewer where that has fewer
// calls), at places that follow from the run's secret and `evaluation`, which tells it from others. A
// solution that knew them could do its work elsewhere in the calls that are looked at. None before the first
// two calls of all, which load code. Pure.
[[nodiscard]] std::set<std::size_t> look_places(std::string_view secret, std::string_view evaluation,
                                                const CallPlan& plan);

}  // namespace fib::bench
