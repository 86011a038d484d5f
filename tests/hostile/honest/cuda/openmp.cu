// OpenMP's threads plan what is launched. Needs -fopenmp.
#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static Plan plan;
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) plan_share(plan, n, i, 64);
  add_planned(a, b, c, plan, stream);
  return cudaGetLastError();
}
