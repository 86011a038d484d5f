#include "bench/memory_limits.h"

#include <algorithm>

#include "util/machine.h"

namespace fib::bench {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

}  // namespace

std::uint64_t data_limit() {
  return std::clamp<std::uint64_t>(util::physical_memory() / 2, 2 * kGiB, 64 * kGiB);
}

std::uint64_t memory_limit(const sandbox::FileAccess& files) {
  return data_limit() + 2 * files.private_bytes;
}

}  // namespace fib::bench
