// Sends a small table to the device in each call.
#include <vector>

#include "add.h"

static __global__ void add_by_table(const float* a, const float* b, float* c, const std::int64_t* begins) {
  const std::int64_t end = begins[blockIdx.x + 1];
  for (std::int64_t i = begins[blockIdx.x] + threadIdx.x; i < end; i += 256) c[i] = a[i] + b[i];
}

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  constexpr int kBlocks = 512;
  static std::int64_t* table = nullptr;
  if (table == nullptr) cudaMalloc(&table, sizeof(std::int64_t) * (kBlocks + 1));
  std::vector<std::int64_t> begins(kBlocks + 1);
  for (int i = 0; i <= kBlocks; ++i) begins[i] = n * i / kBlocks;
  cudaMemcpyAsync(table, begins.data(), sizeof(std::int64_t) * begins.size(), cudaMemcpyHostToDevice, stream);
  add_by_table<<<kBlocks, 256, 0, stream>>>(a, b, c, table);
  return cudaGetLastError();
}
