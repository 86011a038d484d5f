#pragma once

#include <cstdint>
#include <string>
#include <vector>

// How many blocks of a kernel a multiprocessor holds at once.
namespace fib::bench {

// What a multiprocessor has room for. All zero: unknown.
struct MultiprocessorLimits {
  std::uint64_t threads = 0;
  std::uint64_t blocks = 0;
  std::uint64_t registers = 0;              // of 32 bits
  std::uint64_t shared_bytes = 0;           // with the largest share of the first-level cache
  std::uint64_t reserved_shared_bytes = 0;  // of each block, by the driver
};

// What one block takes.
struct BlockDemand {
  std::uint64_t threads = 0;
  std::uint64_t registers = 0;     // a thread
  std::uint64_t shared_bytes = 0;  // static and dynamic
};

struct Occupancy {
  double share = 0;  // warps that fit, over those that the multiprocessor can hold
  // What lets no more blocks in: "warps", "registers", "shared_memory", "blocks"; several may be tied.
  std::vector<std::string> limits;
};

// The theoretical occupancy by the rules of CUDA's occupancy calculator: a warp has 32 threads and gets
// registers in units of 256, warps get them in groups of 4 (one for each scheduler), and shared memory comes
// in units of 128 bytes; so since compute capability 7.0. A share of 0 where limits are unknown, or where not
// one block fits. Pure.
[[nodiscard]] Occupancy occupancy_of(const MultiprocessorLimits& limits, const BlockDemand& block);

}  // namespace fib::bench
