// Right: host code that launches a kernel on the stream it is given.
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, std::int64_t n) {
  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  add<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);
  return cudaGetLastError();
}
