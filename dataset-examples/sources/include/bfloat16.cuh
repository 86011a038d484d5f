// bfloat16 without headers of the CUDA toolkit: its bits are the upper half of a float's.
#pragma once

using bf16 = unsigned short;

__device__ __forceinline__ float to_float(bf16 value) { return __uint_as_float(static_cast<unsigned>(value) << 16); }

// Rounds to nearest, ties to even.
__device__ __forceinline__ bf16 to_bf16(float value) {
  const unsigned bits = __float_as_uint(value);
  return static_cast<bf16>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// Eight values that are loaded and stored at once.
struct alignas(16) Eight {
  bf16 value[8];
};

__device__ __forceinline__ Eight load_eight(const bf16* source) { return *reinterpret_cast<const Eight*>(source); }
__device__ __forceinline__ void store_eight(bf16* target, const Eight& eight) { *reinterpret_cast<Eight*>(target) = eight; }
