// One block a row, one element at a time, sums through shared memory.
#include "bfloat16.cuh"

extern "C" __global__ void run(const bf16* hidden_states, const bf16* residual, const bf16* weight, bf16* output) {
  __shared__ float sums[256];
  const bf16* x = hidden_states + blockIdx.x * 2048LL;
  const bf16* r = residual + blockIdx.x * 2048LL;
  float sum = 0;
  for (int i = threadIdx.x; i < 2048; i += 256) {
    const float added = to_float(x[i]) + to_float(r[i]);
    sum += added * added;
  }
  sums[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  const float scale = rsqrtf(sums[0] / 2048 + 1e-6f);
  for (int i = threadIdx.x; i < 2048; i += 256) {
    output[blockIdx.x * 2048LL + i] = to_bf16((to_float(x[i]) + to_float(r[i])) * scale * to_float(weight[i]));
  }
}
