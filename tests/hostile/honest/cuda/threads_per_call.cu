// Starts eight threads in each call, each of which launches a kernel for its part.
#include <thread>
#include <vector>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([=] { add_part(a, b, c, n, i, 8, stream); });
  for (auto& thread : threads) thread.join();
  return cudaGetLastError();
}
