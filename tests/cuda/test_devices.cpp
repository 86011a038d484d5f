#include <catch2/catch.hpp>
#include <filesystem>

#include "cuda/devices.h"

TEST_CASE("either there are devices with names, or a sentence says why not") {
  const auto list = fib::cuda::list_devices();
  if (std::filesystem::exists("/dev/nvidia0")) {
    CHECK(list.problem.empty());
    CHECK_FALSE(list.names.empty());
  } else {
    CHECK(list.names.empty());
    CHECK(list.problem.find("CUDA driver") != std::string::npos);
  }
}
