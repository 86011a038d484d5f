// One block a row that stays in registers: 16-byte loads, sums by warp shuffles.
#include "bfloat16.cuh"
#include "reduce.cuh"

template <int kHidden>
__global__ void __launch_bounds__(kHidden / 8)
    fused_add_rmsnorm(const bf16* hidden_states, const bf16* residual, const bf16* weight, bf16* output) {
  const long long at = blockIdx.x * static_cast<long long>(kHidden) + 8 * threadIdx.x;
  const Eight x = load_eight(hidden_states + at);
  const Eight r = load_eight(residual + at);
  const Eight w = load_eight(weight + 8 * threadIdx.x);
  float added[8];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    added[i] = to_float(x.value[i]) + to_float(r.value[i]);
    sum += added[i] * added[i];
  }
  const float scale = rsqrtf(reduce_block(sum, Sum()) / kHidden + 1e-6f);
  Eight y;
#pragma unroll
  for (int i = 0; i < 8; ++i) y.value[i] = to_bf16(added[i] * scale * to_float(w.value[i]));
  store_eight(output + at, y);
}
