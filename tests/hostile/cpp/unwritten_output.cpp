// Leaves the second half of the output as it was.
#include <cstdint>

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  for (std::int64_t i = 0; i < n / 2; ++i) c[i] = a[i] + b[i];
}
