// Allocates and frees device memory in the order of the stream.
#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  float* sum = nullptr;
  cudaMallocAsync(&sum, sizeof(float) * n, stream);
  add_part(a, b, sum, n, 0, 1, stream);
  cudaMemcpyAsync(c, sum, sizeof(float) * n, cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(sum, stream);
  return cudaGetLastError();
}
