#include <catch2/catch.hpp>

#include "apply/results.h"
#include "apply/table.h"
#include "device/cpu/hardware.h"

using namespace fib;
using apply::make_table;
using apply::Registry;
using testing::AppliedDataset;

namespace {

struct TableTest {
  util::TemporaryFolder folder{std::filesystem::temp_directory_path(), "fib-apply-"};
  AppliedDataset data{folder.path()};
  const std::string cpu = device::cpu::model_name();

  TableTest() { data.adder("fast", "0").adder("slow", "0.0f"); }

  [[nodiscard]] apply::DefinitionTable table(const std::string& config = "") const {
    const auto made = make_table(data.load(), apply::parse_registry(config));
    const auto found = made.definitions.find("add");
    return found == made.definitions.end() ? apply::DefinitionTable() : found->second;
  }
  [[nodiscard]] std::string winner(std::int64_t n, const std::string& config = "",
                                   const std::string& hardware = {}) const {
    const auto own = table(config);
    const auto* found = find_winner(own, hardware.empty() ? cpu : hardware, {{"n", n}});
    return found == nullptr ? "" : found->solution;
  }
  [[nodiscard]] std::size_t left_out(const std::string& reason, const std::string& config = "") const {
    const auto made = make_table(data.load(), apply::parse_registry(config));
    const auto found = made.left_out.find(reason);
    return found == made.left_out.end() ? 0 : found->second;
  }
};

}  // namespace

TEST_CASE_METHOD(TableTest, "each case has the fastest solution") {
  data.result({"fast", 8, 3.0}).result({"slow", 8, 1.2}).result({"fast", 16, 0.9}).result({"slow", 16, 2.5});
  CHECK(winner(8) == "fast");
  CHECK(winner(16) == "slow");
  CHECK(winner(32).empty());
  const auto own = table();
  const auto* first = find_winner(own, cpu, {{"n", 8}});
  REQUIRE(first != nullptr);
  CHECK(first->speedup == Approx(3.0));
  CHECK(first->candidates == 2);
  REQUIRE(first->second);
  CHECK(first->second->first == "slow");
  CHECK(first->second->second == Approx(1 / 1.2));
  CHECK(own.best.at(cpu) == "fast");  // the first of equals
}

TEST_CASE_METHOD(TableTest, "latencies decide, whatever the reference took in each run") {
  testing::Result lucky{"slow", 8, 4.0};
  lucky.latency_ms = 0.5;  // its reference took 2 ms
  testing::Result fast{"fast", 8, 3.0};
  fast.latency_ms = 0.4;
  data.result(lucky).result(fast);
  CHECK(winner(8) == "fast");
  CHECK(winner(8, R"({"require_hash":false})") == "slow");  // flashinfer-bench's rule
}

TEST_CASE_METHOD(TableTest, "the best of a definition has won most cases") {
  data.result({"fast", 8, 3.0}).result({"slow", 8, 1.2}).result({"slow", 16, 2.5}).result({"slow", 32, 2.0});
  CHECK(table().best.at(cpu) == "slow");
  CHECK(by_wins(table(), cpu) == std::vector<std::pair<std::string, std::size_t>>{{"slow", 2}, {"fast", 1}});
}

TEST_CASE_METHOD(TableTest, "other hardware decides nothing, unless any may") {
  data.result({"fast", 8, 3.0, "NVIDIA H200"}).result({"slow", 8, 1.2});
  CHECK(winner(8) == "slow");
  CHECK(winner(8, "", "NVIDIA H200") == "fast");
  CHECK(winner(8, R"({"hardware":"any"})", "any") == "fast");
  CHECK(winner(8, R"({"hardware":"NVIDIA H200"})", "NVIDIA H200") == "fast");
  CHECK(left_out("on other hardware", R"({"hardware":"NVIDIA H200"})") == 1);
}

TEST_CASE_METHOD(TableTest, "results have to be of the solution's present source") {
  data.result({"fast", 8, 3.0, "", std::string(64, 'a')}).result({"slow", 8, 1.2});
  CHECK(winner(8) == "slow");
  CHECK(left_out("not the latest of the present source") == 1);
  CHECK(winner(8, R"({"require_hash":false})") == "fast");
}

TEST_CASE_METHOD(TableTest, "results of tools that record no source count only where none is demanded") {
  data.result({"fast", 8, 3.0, "", ""});
  CHECK(winner(8).empty());
  CHECK(left_out("without the hash of the present source") == 1);
  CHECK(winner(8, R"({"require_hash":false})") == "fast");
}

TEST_CASE_METHOD(TableTest, "the verdict suffices, unless limits are given") {
  data.result({"fast", 8, 3.0, "", "same", 0.03}).result({"slow", 8, 1.2, "", "same", 0.001});
  CHECK(winner(8) == "fast");
  CHECK(winner(8, R"({"max_atol":0.01,"max_rtol":0.01})") == "slow");
  CHECK(winner(8, R"({"max_atol":0.05})") == "fast");
  CHECK(left_out("with errors above the limits", R"({"max_rtol":0.01})") == 1);
}

TEST_CASE_METHOD(TableTest, "a solution that failed wins nothing") {
  data.result({"fast", 8, 0}).result({"slow", 8, 1.2});
  CHECK(winner(8) == "slow");
  CHECK(left_out("failed") == 1);
}

TEST_CASE_METHOD(TableTest, "definitions that are not configured have no table") {
  data.result({"fast", 8, 3.0});
  CHECK(table(R"({"per_definition":{"other":{}}})").winners.empty());
}

TEST_CASE_METHOD(TableTest, "the nearest case is near in the ratio of its axes") {
  data.result({"fast", 8, 3.0}).result({"slow", 64, 2.0});
  const auto own = table();
  const auto near = [&](std::int64_t n) { return nearest_winner(own, cpu, {{"n", n}})->solution; };
  CHECK(near(9) == "fast");
  CHECK(near(20) == "fast");  // 20 is 2.3 times 8, and 64 is 3.1 times 20
  CHECK(near(30) == "slow");
  CHECK(near(1000) == "slow");
  CHECK(near(0) == "fast");
  CHECK(nearest_winner(own, "another CPU", {{"n", 8}}) == nullptr);
  CHECK(nearest_winner(own, cpu, {{"m", 8}}) == nullptr);
  data.result({"slow", INT32_MAX, 2.0});
  CHECK(nearest_winner(table(), cpu, {{"n", INT64_MAX}})->solution == "slow");
}

TEST_CASE_METHOD(TableTest, "the digest changes with configuration, source and results") {
  data.result({"fast", 8, 3.0});
  const auto digest = [&](const std::string& config = "") {
    return make_table(data.load(), apply::parse_registry(config)).digest;
  };
  const std::string first = digest();
  CHECK(first.size() == 64);
  CHECK(digest() == first);
  CHECK(digest(R"({"max_atol":1})") != first);
  data.adder("slow", "1");
  const std::string second = digest();
  CHECK(second != first);
  data.result({"slow", 8, 1.0});
  CHECK(digest() != second);
}
