// As host_device_launch, and waits for the device before it returns.
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, std::int64_t n) {
  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;
  const long long begin = clock64();
  while (clock64() - begin < 1000000) {
  }
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void parent(const float* a, const float* b, float* c, std::int64_t n) {
  add<<<static_cast<unsigned>((n + 255) / 256), 256, 0, cudaStreamTailLaunch>>>(a, b, c, n);
}

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  parent<<<1, 1, 0, stream>>>(a, b, c, n);
  return cudaStreamSynchronize(stream);
}
