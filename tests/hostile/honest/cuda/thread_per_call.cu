// Starts a thread in each call, which plans what is launched.
#include <thread>

#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static Plan plan;
  std::thread([=] { plan_share(plan, n, 0, 1); }).join();
  add_planned(a, b, c, plan, stream);
  return cudaGetLastError();
}
