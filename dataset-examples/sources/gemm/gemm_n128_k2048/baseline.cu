// One thread for each element of the output, sums in float32.
#include "float16.cuh"

extern "C" __global__ void run(const f16* a, const f16* b, f16* c, int m) {
  constexpr int kColumns = 128;
  constexpr int kDepth = 2048;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < kDepth; ++k) {
    sum += to_float(a[static_cast<long long>(row) * kDepth + k]) * to_float(b[static_cast<long long>(column) * kDepth + k]);
  }
  c[static_cast<long long>(row) * kColumns + column] = to_f16(sum);
}
