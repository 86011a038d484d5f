// Starts a thread in each call, which launches the kernel.
#include <thread>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  std::thread([=] { add_part(a, b, c, n, 0, 1, stream); }).join();
  return cudaGetLastError();
}
