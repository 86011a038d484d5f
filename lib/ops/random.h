#pragma once

#include <cstdint>
#include <random>

namespace fib::ops {

// Where random functions get their numbers: a stream that goes on from run to run of one engine. Draws are
// not torch's, whatever the seed. Not safe from several threads.
class RandomSource {
 public:
  // 0 takes a seed from the system.
  explicit RandomSource(std::uint64_t seed) { restart(seed != 0 ? seed : from_system()); }

  void restart(std::uint64_t seed) { engine_.seed(seed); }

  [[nodiscard]] std::uint64_t bits() { return engine_(); }
  // In [0, 1): a multiple of 2^-53.
  [[nodiscard]] double uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }
  // In [0, count), for a count above 0: the upper half of a 128-bit product (Lemire, "Fast random integer
  // generation in an interval", 2019), whose bias of count / 2^64 nobody can see.
  [[nodiscard]] std::int64_t below(std::int64_t count);
  // N(0, 1) by Box and Muller's method.
  [[nodiscard]] double normal();

 private:
  static std::uint64_t from_system();

  std::mt19937_64 engine_;
};

}  // namespace fib::ops
