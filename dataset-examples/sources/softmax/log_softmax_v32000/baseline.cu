// One block a row, three passes over it: maximum, sum, result.
#include "reduce.cuh"

extern "C" __global__ void run(const float* logits, float* log_probs) {
  const float* x = logits + blockIdx.x * 32000LL;
  float largest = Max::identity();
  for (int i = threadIdx.x; i < 32000; i += blockDim.x) largest = fmaxf(largest, x[i]);
  largest = reduce_block(largest, Max());
  float sum = 0;
  for (int i = threadIdx.x; i < 32000; i += blockDim.x) sum += expf(x[i] - largest);
  const float log_sum = largest + logf(reduce_block(sum, Sum()));
  for (int i = threadIdx.x; i < 32000; i += blockDim.x) log_probs[blockIdx.x * 32000LL + i] = x[i] - log_sum;
}
