#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profile/ncu_page.h"

namespace fib::profile {

// What keeps a kernel from being faster.
struct Bottleneck {
  std::string name;     // of the closed list in docs/profile.md: "memory_bandwidth", "latency", ...
  std::string advice;   // a sentence: what to look at
  std::string figures;  // that prove it: "DRAM at 88% of its peak"
};

// The first of these that the figures prove: spills, bank_conflicts, uncoalesced, memory_bandwidth,
// l2_bandwidth, tensor, compute; else latency, with the stall that warps wait in most. "unknown" where ncu
// gave no figures. The limits stand in bottleneck.cpp and docs/profile.md. Pure.
[[nodiscard]] Bottleneck classify(const KernelProfile& kernel);

// The stalls of warps, in instructions issued meanwhile, the longest first, without those that are none
// (selected, not_selected).
[[nodiscard]] std::vector<std::pair<std::string, double>> stalls_of(const KernelProfile& kernel);

// What limits how many blocks a multiprocessor holds at once: "registers", "shared memory", "warps" or
// "blocks"; empty where it is not known.
[[nodiscard]] std::string occupancy_limit(const KernelProfile& kernel);

}  // namespace fib::profile
