#include <catch2/catch.hpp>

#include "profile/profile_page.h"
#include "support/places.h"
#include "util/files.h"

using namespace fib;
using Catch::Contains;
using profile::Profiled;

namespace {

// The fixture of test_profile.cpp, and a solution that could not be profiled.
std::vector<Profiled> measured() {
  const auto read = [](const char* name) {
    return util::read_file(testing::source_folder() / "tests/profile/data" / name);
  };
  auto kernels = profile::read_raw_page(read("kernels.csv"));
  profile::add_rules(kernels, read("rules.csv"));
  return {{"fast", "add", "w1", kernels, "", "ncu's own\n"},
          {"ill", "add", "w2", {}, "no\x1b[2J driver", ""}};
}

std::string text_of(const std::vector<Profiled>& all, present::Format format = present::Format::table) {
  return profile::to_text(all, format, {120, false});
}

}  // namespace

TEST_CASE("the page of a kernel tells what limits it and what it did") {
  const std::string text = text_of(measured());
  CHECK_THAT(text, Contains("fast on add, workload w1\n"));
  CHECK_THAT(text, Contains("memory_bandwidth: DRAM at 88% of its peak"));
  CHECK_THAT(text, Contains("174.46 us"));
  CHECK_THAT(text, Contains("grid (65536, 1, 1), block (256, 1, 1)"));
  CHECK_THAT(text, Contains("16.0 sectors a request (100% of their bytes used)"));  // float4, coalesced
  CHECK_THAT(text, Contains("32.0 sectors a request (12% of their bytes used)"));   // a float in each sector
  CHECK_THAT(text, Contains("Shared memory: 96% of its wavefronts are bank conflicts"));
  CHECK_THAT(text, Contains("Shared memory: not used"));
  CHECK_THAT(text, Contains("limited by registers"));
  CHECK_THAT(text, !Contains("ncu's own\n"));
  CHECK_THAT(text, Contains("What ncu's own rules would improve:\n"));
  CHECK_THAT(text, Contains("UncoalescedGlobalAccess: (saves up to 75.2% of the time) This kernel"));
  CHECK_THAT(text, Contains("(saves up to 95.7% in this part) All"));
  CHECK_THAT(text, !Contains("SOLFPRoofline"));  // says what is so
}

TEST_CASE("a profile that could not be made says why, without what a terminal would obey") {
  const std::string text = text_of(measured());
  CHECK_THAT(text, Contains("ill on add, workload w2\n"));
  CHECK_THAT(text, Contains("not done: no"));
  CHECK_THAT(text, !Contains("\x1b[2J"));
}

TEST_CASE("a page in Markdown has headings and facts") {
  const std::string text = text_of(measured(), present::Format::md);
  CHECK_THAT(text, Contains("# fast on add, workload w1\n"));
  CHECK_THAT(text, Contains("**Bottleneck**: ") || Contains("Bottleneck: memory_bandwidth"));
}

TEST_CASE("figures that ncu did not give are dashes") {
  const std::string text = text_of({{"s", "d", "w", {{"k", "(1, 1, 1)", "(32, 1, 1)", {}}}, "", ""}});
  CHECK_THAT(text, Contains("unknown: the counters of this GPU could not be read"));
  CHECK_THAT(text, Contains("Global loads:  -"));
  CHECK_THAT(text, Contains("Duration:      -"));
}

TEST_CASE("programs get every figure, the class and why there is nothing") {
  const auto profiled = profile::to_json(measured());
  REQUIRE(profiled.size() == 2);
  CHECK(profiled[0].at("reason").is_null());
  REQUIRE(profiled[0].at("kernels").size() == 6);
  const auto& copy = profiled[0].at("kernels")[0];
  CHECK(copy.at("bottleneck").at("class") == "memory_bandwidth");
  CHECK(copy.at("occupancy_limit") == "warps");
  CHECK(copy.at("metrics").at("gpu__time_duration.sum") == 174464.0);
  REQUIRE(copy.at("rules").size() == 5);
  CHECK(copy.at("rules")[0].at("name") == "SOLBottleneck");
  CHECK(copy.at("rules")[0].at("speedup_percent").is_null());
  CHECK(copy.at("rules")[3].at("speedup_percent") == 30.5);
  CHECK(copy.at("rules")[3].at("scope") == "global");
  CHECK(profiled[0].at("kernels")[1].at("rules").empty());
  CHECK(profiled[1].at("kernels").empty());
  CHECK(profiled[1].at("reason") == "no\x1b[2J driver");
}

TEST_CASE("a text can be cut to its first lines") {
  CHECK(profile::first_lines("a\nb\nc\n", 2) == "a\nb\n");
  CHECK(profile::first_lines("a\nb\n", 0) == "a\nb\n");
  CHECK(profile::first_lines("a\nb", 5) == "a\nb");
  CHECK(profile::first_lines("", 3).empty());
}
