// One block of 1024 threads a row that stays in registers: it is read once, by 16-byte loads.
#include "reduce.cuh"

extern "C" __global__ void __launch_bounds__(1024) run(const float* logits, float* log_probs) {
  constexpr int kQuads = 32000 / 4;
  constexpr int kRounds = (kQuads + 1023) / 1024;
  const float4* x = reinterpret_cast<const float4*>(logits + blockIdx.x * 32000LL);
  float4* y = reinterpret_cast<float4*>(log_probs + blockIdx.x * 32000LL);
  float4 quads[kRounds];
  float largest = Max::identity();
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    const int at = i * 1024 + threadIdx.x;
    const float low = Max::identity();
    quads[i] = at < kQuads ? x[at] : make_float4(low, low, low, low);
    largest = fmaxf(fmaxf(fmaxf(largest, quads[i].x), fmaxf(quads[i].y, quads[i].z)), quads[i].w);
  }
  largest = reduce_block(largest, Max());
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    sum += __expf(quads[i].x - largest) + __expf(quads[i].y - largest) + __expf(quads[i].z - largest) +
           __expf(quads[i].w - largest);
  }
  const float log_sum = largest + logf(reduce_block(sum, Sum()));
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    const int at = i * 1024 + threadIdx.x;
    if (at >= kQuads) continue;
    y[at] = make_float4(quads[i].x - log_sum, quads[i].y - log_sum, quads[i].z - log_sum, quads[i].w - log_sum);
  }
}
