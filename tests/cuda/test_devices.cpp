#include <catch2/catch.hpp>
#include <filesystem>

#include "cuda/devices.h"

TEST_CASE("either there are devices with names, or a sentence says why not") {
  const auto list = fib::cuda::list_devices();
  if (std::filesystem::exists("/dev/nvidia0")) {
    CHECK(list.problem.empty());
    CHECK_FALSE(list.devices.empty());
  } else {
    CHECK(list.devices.empty());
    CHECK(list.problem.find("CUDA driver") != std::string::npos);
  }
}
