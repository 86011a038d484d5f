// sqrt(|sin(a + b)|), one element after the other, with the C library's sine.

#include <cmath>
#include <cstdint>

extern "C" void run(const float* a, const float* b, float* output, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    output[i] = std::sqrt(std::fabs(std::sin(a[i] + b[i])));
  }
}
