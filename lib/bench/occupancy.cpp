#include "bench/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace fib::bench {
namespace {

constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kRegisterUnit = 256;
constexpr std::uint64_t kWarpUnit = 4;
constexpr std::uint64_t kSharedUnit = 128;
constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

std::uint64_t units(std::uint64_t amount, std::uint64_t unit) { return (amount + unit - 1) / unit; }

std::uint64_t blocks_by_registers(const MultiprocessorLimits& limits, const BlockDemand& block,
                                  std::uint64_t warps) {
  if (block.registers == 0) return kAnyNumber;
  const std::uint64_t of_warp = units(block.registers * kWarp, kRegisterUnit) * kRegisterUnit;
  const std::uint64_t fitting = limits.registers / of_warp / kWarpUnit * kWarpUnit;
  return fitting / warps;
}

std::uint64_t blocks_by_shared_memory(const MultiprocessorLimits& limits, const BlockDemand& block) {
  const std::uint64_t of_block =
      units(block.shared_bytes + limits.reserved_shared_bytes, kSharedUnit) * kSharedUnit;
  return of_block == 0 ? kAnyNumber : limits.shared_bytes / of_block;
}

}  // namespace

Occupancy occupancy_of(const MultiprocessorLimits& limits, const BlockDemand& block) {
  // No kernel takes more; numbers beyond come from a worker that makes them up.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  if (limits.threads < kWarp || block.threads == 0 || block.threads > kMost || block.registers > kMost ||
      block.shared_bytes > kMost)
    return {};
  const std::uint64_t warps = units(block.threads, kWarp);
  const std::uint64_t most_warps = limits.threads / kWarp;
  const std::array<std::pair<const char*, std::uint64_t>, 4> all = {{
      {"warps", most_warps / warps},
      {"registers", blocks_by_registers(limits, block, warps)},
      {"shared_memory", blocks_by_shared_memory(limits, block)},
      {"blocks", limits.blocks},
  }};
  std::uint64_t fitting = kAnyNumber;
  for (const auto& [name, blocks] : all) fitting = std::min(fitting, blocks);
  Occupancy occupancy;
  occupancy.share = static_cast<double>(fitting * warps) / static_cast<double>(most_warps);
  for (const auto& [name, blocks] : all) {
    if (blocks == fitting) occupancy.limits.emplace_back(name);
  }
  return occupancy;
}

}  // namespace fib::bench
