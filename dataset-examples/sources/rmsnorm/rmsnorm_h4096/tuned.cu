// One block a row that stays in registers: 16-byte loads, sums by warp shuffles.
#include "bfloat16.cuh"
#include "reduce.cuh"

template <int kHidden>
__global__ void __launch_bounds__(kHidden / 8) rmsnorm(const bf16* hidden_states, const bf16* weight, bf16* output) {
  const long long at = blockIdx.x * static_cast<long long>(kHidden) + 8 * threadIdx.x;
  const Eight x = load_eight(hidden_states + at);
  const Eight w = load_eight(weight + 8 * threadIdx.x);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += to_float(x.value[i]) * to_float(x.value[i]);
  const float scale = rsqrtf(reduce_block(sum, Sum()) / kHidden + 1e-5f);
  Eight y;
#pragma unroll
  for (int i = 0; i < 8; ++i) y.value[i] = to_bf16(to_float(x.value[i]) * scale * to_float(w.value[i]));
  store_eight(output + at, y);
}
