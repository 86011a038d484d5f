// A hundred small kernels a call.
#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  for (int i = 0; i < 100; ++i) add_part(a, b, c, n, i, 100, stream);
  return cudaGetLastError();
}
