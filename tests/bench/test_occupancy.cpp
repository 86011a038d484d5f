#include <catch2/catch.hpp>

#include "bench/occupancy.h"

using fib::bench::MultiprocessorLimits;
using fib::bench::occupancy_of;
using Limits = std::vector<std::string>;

namespace {

// What the driver says of an H100.
constexpr MultiprocessorLimits kHopper = {2048, 32, 65536, 233472, 1024};

}  // namespace

// The kernels of tests/profile/data/kernels.csv, with the occupancy that Nsight Compute printed for them
// (sm__maximum_warps_per_active_cycle_pct).
TEST_CASE("occupancy is what Nsight Compute says of the same kernels") {
  CHECK(occupancy_of(kHopper, {256, 16, 0}).share == 1);
  CHECK(occupancy_of(kHopper, {32, 16, 0}).share == 0.5);
  CHECK(occupancy_of(kHopper, {256, 18, 4096}).share == 1);
  CHECK(occupancy_of(kHopper, {256, 210, 0}).share == 0.125);
  CHECK(occupancy_of(kHopper, {256, 78, 0}).share == 0.375);
}

TEST_CASE("occupancy names what lets no more blocks in") {
  CHECK(occupancy_of(kHopper, {256, 16, 0}).limits == Limits{"warps"});
  CHECK(occupancy_of(kHopper, {32, 16, 0}).limits == Limits{"blocks"});
  CHECK(occupancy_of(kHopper, {256, 78, 0}).limits == Limits{"registers"});
  // 100 KB and the driver's one: two blocks.
  CHECK(occupancy_of(kHopper, {256, 16, 100 * 1024}).limits == Limits{"shared_memory"});
  CHECK(occupancy_of(kHopper, {256, 16, 100 * 1024}).share == 0.25);
  CHECK(occupancy_of(kHopper, {64, 32, 0}).limits == Limits{"warps", "registers", "blocks"});
}

TEST_CASE("occupancy is unknown without limits, and 0 where no block fits") {
  CHECK(occupancy_of({}, {256, 16, 0}).share == 0);
  CHECK(occupancy_of(kHopper, {0, 16, 0}).share == 0);
  CHECK(occupancy_of(kHopper, {256, 16, 300 * 1024}).share == 0);
  CHECK(occupancy_of(kHopper, {256, 16, ~std::uint64_t{0}}).share == 0);
  CHECK(occupancy_of(kHopper, {~std::uint64_t{0}, ~std::uint64_t{0}, 0}).share == 0);
}
