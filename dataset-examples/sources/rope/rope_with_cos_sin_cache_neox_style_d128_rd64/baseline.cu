// One thread for each element of the output.
#include "bfloat16.cuh"

__device__ float rotated(const bf16* head, const float* angles, int i) {
  const float x1 = to_float(head[i % 32]);
  const float x2 = to_float(head[i % 32 + 32]);
  const float cosine = angles[i % 32];
  const float sine = angles[i % 32 + 32];
  return i < 32 ? x1 * cosine - x2 * sine : x2 * cosine + x1 * sine;
}

__global__ void rotate(const bf16* x, const float* cos_sin_cache, const long long* positions, bf16* output, int heads) {
  const long long head = blockIdx.x;
  const int i = threadIdx.x;
  const float* angles = cos_sin_cache + positions[head / heads] * 64;
  const bf16* values = x + head * 128;
  output[head * 128 + i] = i < 64 ? to_bf16(rotated(values, angles, i)) : values[i];
}
