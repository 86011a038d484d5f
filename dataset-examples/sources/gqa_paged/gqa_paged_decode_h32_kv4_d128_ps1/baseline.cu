// One block for each query head, one thread for each of its elements; two passes over the keys.
#include "bfloat16.cuh"
#include "reduce.cuh"

extern "C" __global__ void run(const bf16* q, const bf16* k_cache, const bf16* v_cache, const int* kv_indptr,
                               const int* kv_indices, float sm_scale, bf16* output, float* lse) {
  const int request = blockIdx.x;
  const int head = blockIdx.y;
  const int i = threadIdx.x;
  const long long out = request * 32LL + head;
  const float query = to_float(q[out * 128 + i]);
  const int begin = kv_indptr[request];
  const int end = kv_indptr[request + 1];
  const auto logit = [&](int token) {
    const float key = to_float(k_cache[(kv_indices[token] * 4LL + head / 8) * 128 + i]);
    return reduce_block(query * key, Sum()) * sm_scale;
  };
  float largest = Max::identity();
  for (int token = begin; token < end; ++token) largest = fmaxf(largest, logit(token));
  float sum = 0;
  float result = 0;
  for (int token = begin; token < end; ++token) {
    const float weight = expf(logit(token) - largest);
    sum += weight;
    result += weight * to_float(v_cache[(kv_indices[token] * 4LL + head / 8) * 128 + i]);
  }
  output[out * 128 + i] = begin == end ? 0 : to_bf16(result / sum);
  if (i == 0) lse[out] = begin == end ? Max::identity() : (largest + logf(sum)) * 1.4426950408889634f;
}
