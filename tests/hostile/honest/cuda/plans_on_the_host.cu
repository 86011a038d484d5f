// Half a millisecond of the host's work before the launch, as of a scheduler.
#include <chrono>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
  while (std::chrono::steady_clock::now() < end) {
  }
  add_part(a, b, c, n, 0, 1, stream);
  return cudaGetLastError();
}
