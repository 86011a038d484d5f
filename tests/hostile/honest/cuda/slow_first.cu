// Prepares for 0.3 s in its first call.
#include <chrono>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static bool is_prepared = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (!is_prepared && std::chrono::steady_clock::now() < end) {
  }
  is_prepared = true;
  add_part(a, b, c, n, 0, 1, stream);
  return cudaGetLastError();
}
