// Right, but leaves its inputs changed.
#include <cstdint>

extern "C" void run(float* a, const float* b, float* c, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
  a[0] = 0;
}
