// One warp for each query head and share of the tokens, one pass with a running maximum; the warps of a block add up.
#include "bfloat16.cuh"
#include "reduce.cuh"

struct alignas(8) Four {
  bf16 value[4];
};

// A block is one query head of one request; its eight warps take every eighth token each, a lane four elements.
extern "C" __global__ void __launch_bounds__(256)
    run(const bf16* q, const bf16* k_cache, const bf16* v_cache, const int* kv_indptr, const int* kv_indices,
        float sm_scale, bf16* output, float* lse) {
  constexpr int kWarps = 8;
  constexpr int kTokens = 4;  // in flight
  const int request = blockIdx.x;
  const int head = blockIdx.y;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const long long out = request * 32LL + head;
  const auto load = [&](const bf16* from) { return *reinterpret_cast<const Four*>(from + 4 * lane); };
  const Four query = load(q + out * 128);
  const int begin = kv_indptr[request];
  const int end = kv_indptr[request + 1];
  const float scale = sm_scale * 1.4426950408889634f;  // logits in base 2
  float largest = Max::identity();
  float sum = 0;
  float result[4] = {0, 0, 0, 0};
  for (int first = begin + warp; first < end; first += kWarps * kTokens) {
    Four keys[kTokens];
    Four values[kTokens];
#pragma unroll
    for (int i = 0; i < kTokens; ++i) {
      const int token = min(first + i * kWarps, end - 1);
      const long long at = (kv_indices[token] * 4LL + head / 8) * 128;
      keys[i] = load(k_cache + at);
      values[i] = load(v_cache + at);
    }
    float logits[kTokens];
    float block_largest = largest;
#pragma unroll
    for (int i = 0; i < kTokens; ++i) {
      float dot = 0;
      for (int j = 0; j < 4; ++j) dot += to_float(query.value[j]) * to_float(keys[i].value[j]);
      dot = reduce_warp(dot, Sum()) * scale;
      logits[i] = first + i * kWarps < end ? dot : Max::identity();
      block_largest = fmaxf(block_largest, logits[i]);
    }
    const float correction = exp2f(largest - block_largest);
    largest = block_largest;
    sum *= correction;
    for (int j = 0; j < 4; ++j) result[j] *= correction;
#pragma unroll
    for (int i = 0; i < kTokens; ++i) {
      const float weight = exp2f(logits[i] - largest);
      sum += weight;
      for (int j = 0; j < 4; ++j) result[j] += weight * to_float(values[i].value[j]);
    }
  }

  __shared__ float all_largest[kWarps];
  __shared__ float all_sum[kWarps];
  __shared__ float all_result[kWarps][128];
  if (lane == 0) {
    all_largest[warp] = largest;
    all_sum[warp] = sum;
  }
  for (int j = 0; j < 4; ++j) all_result[warp][4 * lane + j] = result[j];
  __syncthreads();
  if (threadIdx.x >= 128) return;
  float top = Max::identity();
  for (int w = 0; w < kWarps; ++w) top = fmaxf(top, all_largest[w]);
  float total = 0;
  float value = 0;
  for (int w = 0; w < kWarps && begin < end; ++w) {
    const float weight = exp2f(all_largest[w] - top);
    total += weight * all_sum[w];
    value += weight * all_result[w][threadIdx.x];
  }
  output[out * 128 + threadIdx.x] = begin == end ? 0 : to_bf16(value / total);
  if (threadIdx.x == 0) lse[out] = begin == end ? Max::identity() : top + log2f(total);
}
