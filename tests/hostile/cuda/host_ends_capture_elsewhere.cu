// Right, and begins a capture that another thread ends, so that a clock which counts the captures of the call's thread takes
// one for open; what the call launches then takes a million cycles.
#include <cstdint>
#include <thread>

__global__ void add(const float* a, const float* b, float* c, std::int64_t n, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  add<<<blocks, 256, 0, stream>>>(a, b, c, n, 1000);
  cudaStreamSynchronize(stream);
  cudaStreamBeginCapture(side, cudaStreamCaptureModeRelaxed);
  std::thread([] {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(side, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }).join();
  add<<<blocks, 256, 0, stream>>>(a, b, c, n, 1000000);
  return cudaGetLastError();
}
