// Two threads that look for more work for a while before they sleep.
#include "add.h"
#include "pool.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static auto* const pool = new Pool(2, 200);
  pool->run([=](int i) { add_part(a, b, c, n, i, 2, stream); });
  return cudaGetLastError();
}
