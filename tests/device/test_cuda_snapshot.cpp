#include <catch2/catch.hpp>

#include "device/cuda/snapshot.h"

TEST_CASE("reasons for a lower clock have names; being idle and settings are none") {
  using fib::device::cuda::throttle_names;
  CHECK(throttle_names(0).empty());
  CHECK(throttle_names(0x1 | 0x2 | 0x100).empty());
  CHECK(throttle_names(0x4 | 0x40) == std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"});
  CHECK(throttle_names(0x8 | 0x20 | 0x80) ==
        std::vector<std::string>{"hw_slowdown", "sw_thermal_slowdown", "hw_power_brake"});
}
