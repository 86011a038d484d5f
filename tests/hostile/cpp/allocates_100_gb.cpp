#include <cstdint>
#include <vector>

extern "C" void run(const float* a, const float* b, float* c, std::int64_t n) {
  std::vector<char> much(std::size_t{100} << 30U, 1);
  for (std::int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i] + static_cast<float>(much[0] - 1);
}
