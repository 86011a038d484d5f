// c = a + b in equal parts, each a kernel of its own.
#pragma once

#include <cstdint>

#include "plan.h"

static __global__ void add(const float* a, const float* b, float* c, std::int64_t begin, std::int64_t end) {
  const std::int64_t i = begin + blockIdx.x * 256LL + threadIdx.x;
  if (i < end) c[i] = a[i] + b[i];
}

static inline void add_between(const float* a, const float* b, float* c, std::int64_t begin, std::int64_t end,
                               cudaStream_t stream) {
  if (begin < end)
    add<<<static_cast<unsigned>((end - begin + 255) / 256), 256, 0, stream>>>(a, b, c, begin, end);
}

static inline void add_part(const float* a, const float* b, float* c, std::int64_t n, int part, int parts,
                            cudaStream_t stream) {
  add_between(a, b, c, n * part / parts, n * (part + 1) / parts, stream);
}

static inline void add_planned(const float* a, const float* b, float* c, const Plan& plan,
                               cudaStream_t stream) {
  for (int i = 0; i < kParts; ++i)
    add_between(a, b, c, plan.begins[kSteps / kParts * i], plan.begins[kSteps / kParts * (i + 1)], stream);
}
