#pragma once

#include "kernels/fill.cuh"

namespace fib {

__device__ inline u64 nanoseconds() {
  u64 value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

// Keeps the stream busy while the host queues work behind it: for `least_ns` at least, then until the host
// sets *release, but never longer than `limit_ns`. One thread. clocks[0] and clocks[1] receive how many
// cycles and nanoseconds it took, which is the multiprocessor's clock at that moment.
extern "C" __global__ void fib_spin(const volatile u32* release, u64 least_ns, u64 limit_ns,
                                    volatile u64* clocks) {
  const u64 begin = nanoseconds();
  const i64 first_cycle = clock64();
  u64 elapsed = 0;
  i64 cycles = 0;
  do {
    elapsed = nanoseconds() - begin;
    cycles = clock64() - first_cycle;
  } while (elapsed < least_ns || (elapsed < limit_ns && *release == 0));
  clocks[0] = static_cast<u64>(cycles);
  clocks[1] = elapsed;
}

}  // namespace fib
