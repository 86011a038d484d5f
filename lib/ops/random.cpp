#include "ops/random.h"

#include <cmath>
#include <numbers>

namespace fib::ops {

std::uint64_t RandomSource::from_system() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

std::int64_t RandomSource::below(std::int64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>(Wide{bits()} * static_cast<std::uint64_t>(count) >> 64U);
}

double RandomSource::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace fib::ops
