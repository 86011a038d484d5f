// One thread for each element of the output.
#include "bfloat16.cuh"

extern "C" __global__ void run(const bf16* input, bf16* output, long long num_tokens) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= num_tokens * 8192) return;
  const long long token = i / 8192;
  const long long column = i % 8192;
  const float gate = to_float(input[token * 16384 + column]);
  const float up = to_float(input[token * 16384 + 8192 + column]);
  output[i] = to_bf16(gate / (1.0f + expf(-gate)) * up);
}
