// Writes a line in each call.
#include <cstdio>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  std::fprintf(stderr, "adding %lld numbers\n", static_cast<long long>(n));
  add_part(a, b, c, n, 0, 1, stream);
  return cudaGetLastError();
}
