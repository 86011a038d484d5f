// Starts two threads in each call and waits for them.
#include "pool.h"

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  std::thread first([=] { add_part(a, b, c, n, 0, 2); });
  std::thread second([=] { add_part(a, b, c, n, 1, 2); });
  first.join();
  second.join();
}
