#include <catch2/catch.hpp>

#include "profile/bottleneck.h"
#include "profile/ncu_page.h"
#include "support/places.h"
#include "util/files.h"

using namespace fib;
using profile::KernelProfile;

namespace {

// What ncu 2025.3 wrote on an NVIDIA H100 of six kernels: a copy, a chain of dependent operations in one
// warp, a strided read, bank conflicts, spilled registers, and products on tensor cores.
std::vector<KernelProfile> measured() {
  return profile::read_raw_page(util::read_file(testing::source_folder() / "tests/profile/data/kernels.csv"));
}

KernelProfile with(const std::map<std::string, double>& metrics) { return {"k", "", "", metrics}; }

}  // namespace

TEST_CASE("ncu's page holds the launches with their figures, whatever else is printed between") {
  const auto kernels = measured();
  REQUIRE(kernels.size() == 6);
  CHECK(kernels[0].name == "copy(const float4 *, float4 *, long)");
  CHECK(kernels[0].grid == "(65536, 1, 1)");
  CHECK(kernels[0].block == "(256, 1, 1)");
  CHECK(kernels[0].metric("gpu__time_duration.sum") == 174464.0);
  CHECK(kernels[4].metric("launch__registers_per_thread") == 210.0);
  CHECK_FALSE(kernels[0].metric("no__such"));
  const auto mixed = profile::read_raw_page(
      "hello\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"a__b\"\n\"\",\"\",\"\",\"\",\"%\"\n"
      "\"a line of the solution\"\n\"0\",\"k\"\"1\"\"\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"nan\"\n");
  REQUIRE(mixed.size() == 1);
  CHECK(mixed[0].name == "k\"1\"");
  CHECK_FALSE(mixed[0].metric("a__b"));
  CHECK(profile::read_raw_page("nothing\n").empty());
  CHECK_THROWS(profile::read_raw_page("\"ID\",\"a\"\n\"\",\"\"\n\"0\",\"1\"\n"));
}

TEST_CASE("ncu's own rules stand with the launches that they are of, the most promising advice first") {
  auto kernels = measured();
  profile::add_rules(kernels, util::read_file(testing::source_folder() / "tests/profile/data/rules.csv"));
  REQUIRE(kernels[0].rules.size() == 5);
  CHECK(kernels[0].rules[0].name == "SOLBottleneck");
  CHECK(kernels[0].rules[0].section == "SpeedOfLight");
  CHECK(kernels[0].rules[0].type == "INF");
  CHECK_THAT(kernels[0].rules[0].text, Catch::StartsWith("This workload is utilizing greater than 80.0%"));
  CHECK_FALSE(kernels[0].rules[0].speedup_percent);
  CHECK(kernels[1].rules.empty());
  const auto advice = profile::advice_of(kernels[2]);
  REQUIRE(advice.size() == 5);
  CHECK(advice[0].name == "UncoalescedGlobalAccess");
  CHECK(advice[0].speedup_percent == 75.21);
  CHECK(advice[0].scope == "global");
  CHECK(advice[1].name == "MemoryL2Compression");
  CHECK(advice[2].name == "SOLBottleneck");  // without an estimate, in ncu's order
  CHECK(advice[3].name == "HighPipeUtilization");
  CHECK(advice[3].scope == "local");
  // Outputs without a table, and those of old versions.
  profile::add_rules(kernels, "nothing\n");
  profile::add_rules(kernels, "\"ID\",\"a\"\n\"0\",\"1\"\n");
  CHECK(kernels[0].rules.size() == 5);
  profile::add_rules(kernels,
                     "\"ID\",\"Section Name\",\"Rule Name\",\"Rule Type\",\"Rule Description\"\n"
                     "\"1\",\"s\",\"r\",\"WRN\",\"careful\"\n");
  REQUIRE(kernels[1].rules.size() == 1);
  CHECK(kernels[1].rules[0].text == "careful");
  CHECK_FALSE(kernels[1].rules[0].speedup_percent);
  CHECK(profile::advice_of(kernels[1]).empty());
  CHECK_THROWS(profile::add_rules(kernels, "\"ID\",\"Rule Name\"\n"));
}

TEST_CASE("kernels measured on a GPU are what they were written to be") {
  const auto kernels = measured();
  REQUIRE(kernels.size() == 6);
  CHECK(profile::classify(kernels[0]).name == "memory_bandwidth");
  CHECK(profile::classify(kernels[0]).figures == "DRAM at 88% of its peak");
  CHECK(profile::classify(kernels[1]).name == "latency");
  CHECK_THAT(profile::classify(kernels[1]).figures,
             Catch::Contains("warps wait most in wait (2.5 instructions)"));
  CHECK(profile::classify(kernels[2]).name == "uncoalesced");
  CHECK(profile::classify(kernels[3]).name == "bank_conflicts");
  CHECK(profile::classify(kernels[4]).name == "spills");
  CHECK(profile::classify(kernels[5]).name == "tensor");
  CHECK(profile::occupancy_limit(kernels[4]) == "registers");
  CHECK(profile::occupancy_limit(kernels[0]) == "warps");
  CHECK(profile::stalls_of(kernels[3]).front().first == "long_scoreboard");
}

TEST_CASE("classes that no figure proves are not given") {
  CHECK(profile::classify(with({})).name == "unknown");
  const std::string sm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
  const std::string l2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
  CHECK(profile::classify(with({{sm, 61}})).name == "compute");
  CHECK(profile::classify(with({{sm, 59}})).name == "latency");
  CHECK(profile::classify(with({{sm, 10}, {l2, 71}})).name == "l2_bandwidth");
  CHECK(profile::occupancy_limit(with({})).empty());
  CHECK(profile::stalls_of(with({})).empty());
}

TEST_CASE("why ncu has nothing is a sentence with what to do") {
  CHECK_THAT(profile::why_nothing("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"),
             Catch::Contains("NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK(profile::why_nothing("==WARNING== No kernels were profiled.") ==
        "no kernel was launched in the call");
  CHECK(profile::why_nothing("all is well").empty());
}
