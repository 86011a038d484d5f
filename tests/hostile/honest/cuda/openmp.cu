// OpenMP's threads work out where the parts begin. Needs -fopenmp.
#include <vector>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  std::vector<int> order(4096);
#pragma omp parallel for
  for (int i = 0; i < 4096; ++i) order[i] = (i * 7) % 4;
  for (int i = 0; i < 4; ++i) add_part(a, b, c, n, (order[i] * 3) % 4, 4, stream);
  return cudaGetLastError();
}
