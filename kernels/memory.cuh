#pragma once

#include "kernels/fill.cuh"

// Poison, flush, and whether two buffers differ.
namespace fib {

// Repeats the 8 bytes of `pattern` over `bytes` bytes; the target is aligned to 8.
extern "C" __global__ void fib_poison(u64 pattern, u64* target, u64 bytes) {
  for (u64 i = thread_index(); i * 8 < bytes; i += thread_count()) {
    if (i * 8 + 8 <= bytes) {
      target[i] = pattern;
    } else {
      auto* last = reinterpret_cast<unsigned char*>(target + i);
      for (u64 byte = 0; i * 8 + byte < bytes; ++byte)
        last[byte] = static_cast<unsigned char>(pattern >> (8 * byte));
    }
  }
}

// Reads `bytes` bytes (a multiple of 16), so that the L2 cache holds clean lines of this buffer and nothing
// else. The sum is written only if it is a value that the buffer's zeros never give: the reads cannot be left
// out.
extern "C" __global__ void fib_read(const uint4* source, u64 bytes, u32* never) {
  u32 sum = 0;
  for (u64 i = thread_index(); i * 16 < bytes; i += thread_count()) {
    const uint4 value = __ldcg(source + i);
    sum |= value.x | value.y | value.z | value.w;
  }
  if (sum != 0) *never = sum;
}

// The same by writing, for the flush that leaves dirty lines.
extern "C" __global__ void fib_write(uint4* target, u64 bytes) {
  for (u64 i = thread_index(); i * 16 < bytes; i += thread_count()) __stcg(target + i, uint4{0, 0, 0, 0});
}

// Sets *differs to 1 when the buffers differ somewhere; both aligned to 8 bytes.
extern "C" __global__ void fib_differs(const u64* a, const u64* b, u64 bytes, u32* differs) {
  bool found = false;
  for (u64 i = thread_index(); i * 8 < bytes; i += thread_count()) {
    if (i * 8 + 8 <= bytes) {
      found |= a[i] != b[i];
    } else {
      const auto* last_a = reinterpret_cast<const unsigned char*>(a + i);
      const auto* last_b = reinterpret_cast<const unsigned char*>(b + i);
      for (u64 byte = 0; i * 8 + byte < bytes; ++byte) found |= last_a[byte] != last_b[byte];
    }
  }
  if (found) *differs = 1;
}

}  // namespace fib
