// Starts two threads in each call, which plan what is launched.
#include <thread>
#include <vector>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static Plan plan;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([=] { plan_share(plan, n, i, 2); });
  for (auto& thread : threads) thread.join();
  add_planned(a, b, c, plan, stream);
  return cudaGetLastError();
}
