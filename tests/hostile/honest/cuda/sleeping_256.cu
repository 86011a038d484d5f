// 256 threads sleep beside the one that launches the kernel.
#include "add.h"
#include "pool.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static auto* const pool = new Pool(256);
  (void)pool;
  add_part(a, b, c, n, 0, 1, stream);
  return cudaGetLastError();
}
