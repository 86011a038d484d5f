// sqrt(|sin(a + b)|) in blocks of 4096 elements, vectorised, with a polynomial for the sine; the blocks are
// shared between threads where there are enough of them to pay for starting these.

#include <algorithm>
#include <cstdint>

#include "abs_sin.h"

extern "C" void run(const float* a, const float* b, float* output, std::int64_t n) {
  constexpr std::int64_t kBlock = 4096;
  constexpr std::int64_t kWorthThreads = 64 * kBlock;
#pragma omp parallel for if (n >= kWorthThreads)
  for (std::int64_t i = 0; i < n; i += kBlock) {
    sqrt_abs_sin_add(a + i, b + i, output + i, std::min(kBlock, n - i));
  }
}
