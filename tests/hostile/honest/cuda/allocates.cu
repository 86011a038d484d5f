// Allocates and frees device memory in each call, which waits for the device.
#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  float* sum = nullptr;
  cudaMalloc(&sum, sizeof(float) * n);
  add_part(a, b, sum, n, 0, 1, stream);
  cudaMemcpyAsync(c, sum, sizeof(float) * n, cudaMemcpyDeviceToDevice, stream);
  cudaFree(sum);
  return cudaGetLastError();
}
