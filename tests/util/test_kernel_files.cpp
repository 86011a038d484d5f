#include <catch2/catch.hpp>
#include <string>

#include "support/temporary.h"
#include "util/kernel_files.h"

using namespace fib;

TEST_CASE("a kernel's file is read whole, and written where the kernel takes it") {
  const std::string status = util::read_kernel_file("/proc/self/status");
  CHECK(status.find("Name:") == 0);
  CHECK(status.find("Threads:") != std::string::npos);  // though its size is 0
  CHECK(util::write_kernel_file("/proc/self/comm", "renamed"));
  CHECK(util::read_kernel_file("/proc/self/comm") == "renamed\n");
  CHECK_FALSE(util::write_kernel_file("/proc/self/oom_score_adj", "no number"));
}

TEST_CASE("a kernel's file that is not there is empty, and is not made") {
  const testing::TemporaryFolder folder;
  CHECK(util::read_kernel_file(folder.path() / "none").empty());
  CHECK_FALSE(util::write_kernel_file(folder.path() / "none", "text"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none"));
}

TEST_CASE("a kernel's file that can be opened and not read is empty") {
  CHECK(util::read_kernel_file("/proc/self/mem").empty());  // nothing is at address 0
}
