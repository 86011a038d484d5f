#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "ops/gemm.h"
#include "ops/gpu/gpu.h"
#include "ops/memory.h"
#include "ops/random.h"

namespace fib::ops {

// What every tensor operation needs: threads, memory, a matrix multiplication, random numbers, and a GPU
// where one is used.
struct Runtime {
  int threads = 1;
  std::shared_ptr<MemoryPool> memory;
  std::shared_ptr<const Gemm> gemm;
  std::shared_ptr<Gpu> gpu = nullptr;
  std::int64_t gpu_from = kGpuFrom;
  std::shared_ptr<RandomSource> random = nullptr;
  // Counts the rows in which first_sorted() left out an equal of what it took; null: nobody asks.
  std::shared_ptr<std::atomic<std::int64_t>> tied_rows = nullptr;
};

// Calls `body(begin, end)` for consecutive parts of [0, count) on up to `threads` threads, the caller's
// included, and waits. `cost` is roughly the number of elements behind one step: small jobs stay on one
// thread. The parts start at multiples of `grain`. An exception of any part is rethrown.
void parallel_for(int threads, std::int64_t count, std::int64_t cost, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace fib::ops
