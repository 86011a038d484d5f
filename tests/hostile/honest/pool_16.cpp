// 16 threads that do the work of each call.
#include "pool.h"

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  static auto* const pool = new Pool(16);
  pool->run([=](int i) { add_part(a, b, c, n, i, 16); });
}
