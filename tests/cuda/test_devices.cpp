#include <catch2/catch.hpp>
#include <filesystem>

#include "cuda/devices.h"
#include "support/temporary.h"
#include "util/files.h"

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

TEST_CASE("the file of a device is the one whose number the driver tells") {
  const fib::testing::TemporaryFolder folder;
  const auto tells = [&](const std::string& text) {
    const auto gpu = folder.path() / "0000:9a:00.0";
    std::filesystem::create_directories(gpu);
    fib::util::write_file_atomic(gpu / "information", text);
    return fib::cuda::node_of("0000:9A:00.0", folder.path());
  };
  CHECK(tells("Model: \t\t NVIDIA H200\nDevice Minor: \t 3\nGPU Excluded:\t No\n") == "nvidia3");
  CHECK(tells("Device Minor: 12") == "nvidia12");
  CHECK(tells("Device Minor: ../../sda\n").empty());
  CHECK(tells("Model: NVIDIA\n").empty());
  CHECK(fib::cuda::node_of("0000:01:00.0", folder.path()).empty());
}
