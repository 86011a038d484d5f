// Where the parts of the work begin, as a host would work it out, in equal shares by several threads.
#pragma once

#include <cstdint>

constexpr int kParts = 4;
constexpr int kSteps = 4096;

struct Plan {
  std::int64_t begins[kSteps + 1] = {};
};

static inline void plan_share(Plan& plan, std::int64_t n, int share, int shares) {
  for (int i = kSteps * share / shares; i <= kSteps * (share + 1) / shares; ++i)
    plan.begins[i] = n * i / kSteps;
}
