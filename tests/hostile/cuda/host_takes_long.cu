// Honest: the host prepares something for a millisecond before it asks the device for anything.
#include <time.h>

#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, std::int64_t n) {
  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1'000'000'000LL + now.tv_nsec - begin.tv_nsec < 1'000'000);
  add<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);
  return cudaGetLastError();
}
