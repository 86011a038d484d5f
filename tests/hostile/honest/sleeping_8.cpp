// 8 threads that sleep all the time.
#include "pool.h"

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  static auto* const pool = new Pool(8);
  (void)pool;
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
