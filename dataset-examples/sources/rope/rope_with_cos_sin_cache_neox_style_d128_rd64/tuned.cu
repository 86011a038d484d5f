// Queries and keys in one launch, sixteen threads a head with 16-byte loads; partners swap halves by shuffles.
#include "bfloat16.cuh"

extern "C" __global__ void __launch_bounds__(256)
    run(const bf16* q, const bf16* k, const float* cos_sin_cache, const long long* positions, bf16* q_out, bf16* k_out,
        int num_tokens, int q_heads, int k_heads) {
  const int heads = q_heads + k_heads;
  const long long index = blockIdx.x * 16LL + threadIdx.x / 16;
  const bool inside = index < static_cast<long long>(num_tokens) * heads;
  const long long token = inside ? index / heads : 0;
  const int head = inside ? static_cast<int>(index % heads) : 0;
  const int part = threadIdx.x % 16;  // eight elements
  const bool is_query = head < q_heads;
  const long long at = is_query ? (token * q_heads + head) * 128 + 8 * part : (token * k_heads + head - q_heads) * 128 + 8 * part;
  const Eight mine = load_eight((is_query ? q : k) + at);
  // Elements 0 to 31 pair with 32 to 63: parts 0 to 3 with 4 to 7.
  uint4 bits = *reinterpret_cast<const uint4*>(&mine);
  bits.x = __shfl_xor_sync(0xffffffffU, bits.x, 4);
  bits.y = __shfl_xor_sync(0xffffffffU, bits.y, 4);
  bits.z = __shfl_xor_sync(0xffffffffU, bits.z, 4);
  bits.w = __shfl_xor_sync(0xffffffffU, bits.w, 4);
  const Eight partner = *reinterpret_cast<const Eight*>(&bits);
  Eight result = mine;
  if (part < 8) {
    const float* angles = cos_sin_cache + positions[token] * 64 + 8 * (part % 4);
    const float sign = part < 4 ? -1.0f : 1.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      result.value[i] = to_bf16(to_float(mine.value[i]) * angles[i] + sign * to_float(partner.value[i]) * angles[32 + i]);
    }
  }
  if (inside) store_eight((is_query ? q_out : k_out) + at, result);
}
