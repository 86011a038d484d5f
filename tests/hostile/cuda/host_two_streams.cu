// Right: half of the work on the stream it is given, the other half for longer on a stream of its own.
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, std::int64_t first, std::int64_t n, long long cycles) {
  const std::int64_t i = first + blockIdx.x * 256LL + threadIdx.x;
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  const auto blocks = static_cast<unsigned>((n + 511) / 512);
  add<<<blocks, 256, 0, side>>>(a, b, c, blocks * 256LL, n, 1000000);
  add<<<blocks, 256, 0, stream>>>(a, b, c, 0, blocks * 256LL, 1000);
  return cudaGetLastError();
}
