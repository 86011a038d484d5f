// Two threads that look for more work for a while before they sleep, as OpenMP's do.
#include "pool.h"

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  static auto* const pool = new Pool(2, 200);
  pool->run([=](int i) { add_part(a, b, c, n, i, 2); });
}
