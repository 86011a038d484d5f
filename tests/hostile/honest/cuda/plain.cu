// Launches a kernel on the stream that it is given.
#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  add_part(a, b, c, n, 0, 1, stream);
  return cudaGetLastError();
}
