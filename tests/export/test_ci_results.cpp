#include <catch2/catch.hpp>

#include "export/ci_dataset.h"
#include "export/ci_results.h"
#include "util/error.h"

using namespace fib;
using exports::log_part;
using testing::kRun1;
using testing::kRun2;
using testing::RunTrace;
using testing::TemporaryDataset;

namespace {

using Names = std::vector<std::string>;

Names names_of(const testing::CiInput& input) {
  Names names;
  for (const auto& result : input.results) names.push_back(result.name());
  return names;
}

RunTrace trace(const std::string& uuid, int m, double median = 1) {
  return {.run = kRun1,
          .definition = "gemm_n128",
          .solution = "alice_fast",
          .uuid = uuid,
          .m = m,
          .median = median};
}

}  // namespace

TEST_CASE("only the latest result of each solution and workload is told to CI") {
  const TemporaryDataset files;
  RunTrace newer = trace("w1", 4, 3);
  newer.run = kRun2;
  RunTrace elsewhere = trace("w1", 4, 5);
  elsewhere.hardware = testing::kCpu;
  testing::write_traces(files, newer.line() + trace("w1", 4, 2).line() + elsewhere.line());
  const testing::CiInput input(files);
  CHECK(names_of(input) == Names{"gemm_n128 / alice_fast / M=4 (AMD EPYC 9555 64-Core Processor)",
                                 "gemm_n128 / alice_fast / M=4 (NVIDIA H200)"});
  REQUIRE(input.results.size() == 2);
  CHECK(input.results[0].latency_ms() == 5.0);
  CHECK(input.results[1].latency_ms() == 3.0);
  CHECK(input.results[1].speedup() == 2.0);
  dataset::Filter filter;
  filter.hardware = {"NVIDIA*"};
  CHECK(testing::CiInput(files, filter).results.size() == 1);
}

TEST_CASE("workloads with the same axes have their uuids in their names, also those without a result") {
  const TemporaryDataset files;
  testing::write_traces(files, trace("w1", 2).line() + trace("w2", 4).line());
  files.write("workloads/gemm/gemm_n128.jsonl", testing::workload_line("untried", "gemm_n128", 2) + "\n");
  CHECK(names_of(testing::CiInput(files)) == Names{"gemm_n128 / alice_fast / M=2 [w1] (NVIDIA H200)",
                                                   "gemm_n128 / alice_fast / M=4 (NVIDIA H200)"});
  std::string bare = trace("w9", 2).line();
  bare.replace(bare.find(R"({"M":2})"), 7, "{}");
  files.write("traces/all.jsonl", bare);
  CHECK(names_of(testing::CiInput(files)) == Names{"gemm_n128 / alice_fast / w9 (NVIDIA H200)"});
}

TEST_CASE("numbers that are none are left out of what CI is told") {
  const TemporaryDataset files;
  std::string infinite = trace("w1", 2).line();
  infinite.replace(infinite.find("\"quantiles_ms\""), 14, "\"other\"");
  const std::string latency = R"("latency_ms":1.000000)";
  infinite.replace(infinite.find(latency), latency.size(), R"("latency_ms":Infinity)");
  RunTrace untimed = trace("w2", 4);
  untimed.speedup = 0;
  testing::write_traces(files, infinite + untimed.line() + testing::failed_line("no"));
  const testing::CiInput input(files);
  REQUIRE(input.results.size() == 3);
  CHECK_FALSE(input.results[0].latency_ms());
  CHECK_FALSE(input.results[0].bounds());
  CHECK(input.results[1].latency_ms() == 1.0);
  REQUIRE(input.results[1].bounds());
  CHECK(input.results[1].bounds()->low_ms == Approx(0.998));
  CHECK_FALSE(input.results[1].speedup());
  CHECK_FALSE(input.results[2].passed());
  CHECK_FALSE(input.results[2].latency_ms());
}

TEST_CASE("the tail of a log has no blank lines, no control characters and its last words") {
  const auto tail = [](std::string_view log, std::size_t lines, std::size_t bytes) {
    return log_part(model::Status::RUNTIME_ERROR, log, lines, bytes);
  };
  CHECK(tail("", 5, 100).empty());
  CHECK(tail("\n \n\r\n", 5, 100).empty());
  CHECK(tail("a\n\nb\r\nc\n", 2, 100) == "b\nc");
  CHECK(tail("a\x1b[1m\tb\rc", 2, 100) == "a?[1m b c");
  CHECK(tail("first\nsecond\nthird", 9, 12) == "second\nthird");
  CHECK(tail("first\nsecond\nthird", 9, 11) == "third");
  CHECK(tail("ääääää", 1, 9) == "äää…");
}

TEST_CASE("of a build that failed the first lines are kept") {
  const auto head = [](std::string_view log, std::size_t lines, std::size_t bytes) {
    return log_part(model::Status::COMPILE_ERROR, log, lines, bytes);
  };
  CHECK(head("", 5, 100).empty());
  CHECK(head("\n \n\r\n", 5, 100).empty());
  CHECK(head("\na\n\nb\r\nc\n", 2, 100) == "a\nb");
  CHECK(head("first\nsecond\nthird", 9, 12) == "first\nsecond");
  CHECK(head("first\nsecond\nthird", 9, 11) == "first");
  CHECK(head("ääääää", 1, 9) == "äää…");
}

TEST_CASE("failures are one error where solution and status are the same, and logs but for numbers") {
  const testing::TemporaryDataset files;
  testing::write_traces(files, testing::failed_line("call 3: got 1.5e-05 at c[7]", "f1", 1) +
                                   testing::failed_line("call 12: got -2 at c[1024]", "f2", 2) +
                                   testing::failed_line("call 3: got nan at c[7]", "f3", 3));
  const testing::CiInput input(files);
  REQUIRE(input.results.size() == 3);
  CHECK(exports::error_key(input.results[0]) == exports::error_key(input.results[1]));
  CHECK(exports::error_key(input.results[0]) != exports::error_key(input.results[2]));
  CHECK(exports::reason_of(input.results[0]) == "call 3: got 1.5e-05 at c[7]");
}

TEST_CASE("names are given once") {
  exports::UniqueNames names;
  CHECK(names("a") == "a");
  CHECK(names("a") == "a #2");
  CHECK(names("a #2") == "a #2 #2");
  CHECK(names("a") == "a #3");
  const std::string long_one = names(std::string(2000, 'x') + "1");
  CHECK(long_one.size() <= 1024);
  CHECK(names(std::string(2000, 'x') + "2").substr(0, 900) == long_one.substr(0, 900));
  CHECK(names(std::string(2000, 'x') + "1") == long_one + " #2");
}

TEST_CASE("an interrupted export for CI stops") {
  const TemporaryDataset files;
  testing::write_traces(files, trace("w1", 2).line());
  std::vector<std::string> unreadable;
  const auto dataset = dataset::load_without_results(files.root(), unreadable);
  const std::atomic<bool> interrupted = true;
  CHECK_THROWS_AS(exports::read_ci_results(dataset, {}, unreadable, &interrupted), Error);
}
