// 16 threads of a pool, each of which launches a kernel for its part.
#include "add.h"
#include "pool.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static auto* const pool = new Pool(16);
  pool->run([=](int i) { add_part(a, b, c, n, i, 16, stream); });
  return cudaGetLastError();
}
