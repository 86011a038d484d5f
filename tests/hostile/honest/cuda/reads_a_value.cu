// Reads one value back and decides by it what to launch.
#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  float first = 0;
  cudaMemcpyAsync(&first, a, sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const int parts = first > 0 ? 1 : 2;
  for (int i = 0; i < parts; ++i) add_part(a, b, c, n, i, parts, stream);
  return cudaGetLastError();
}
