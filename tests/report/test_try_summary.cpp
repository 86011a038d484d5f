#include <catch2/catch.hpp>

#include "dataset/temporary_dataset.h"
#include "report/try_summary.h"

using namespace fib;

namespace {

// A result of 1 ms in one run, whose reference took `median` ms with these quartiles.
model::Trace result(const std::string& solution, const std::string& uuid, double median, double q25,
                    double q75) {
  const auto number = [](double value) { return std::to_string(value); };
  return model::parse_trace(
      R"({"definition":"d","workload":)" + testing::workload_text(uuid) + R"(,"solution":")" + solution +
      R"(","evaluation":{"environment":{"hardware":"H"},"timestamp":"2026-01-01T00:00:00+00:00",)" +
      R"("status":"PASSED","correctness":{},"performance":{"latency_ms":1,"reference_latency_ms":)" +
      number(median) + R"(,"speedup_factor":)" + number(median) + R"(},"fib":{"run_id":"r","config":{},)" +
      R"("reference":{"engine":"native","latency_ms":)" + number(median) + R"(,"q25_ms":)" + number(q25) +
      R"(,"q75_ms":)" + number(q75) + R"(,"sets":"own"}}}})");
}

}  // namespace

TEST_CASE("a try's speedup is a range where its reference's times vary, and it is said") {
  std::map<std::string, std::vector<model::Trace>> traces{{"s", {result("s", "w", 10, 9, 14)}}};
  const auto settled = report::settle(traces);
  const auto summary = report::summarize(traces.at("s"), settled.ranges);
  CHECK(*summary.speedup == Approx(10));
  REQUIRE(summary.speedup_range);
  CHECK(summary.speedup_range->low == Approx(9));
  CHECK(summary.speedup_range->high == Approx(14));
  CHECK_THAT(report::headline(summary), Catch::EndsWith(", 9.00–14.0x the reference"));
  REQUIRE(settled.cautions.size() == 1);
  CHECK_THAT(settled.cautions[0],
             Catch::StartsWith("Speedups against the reference say little for 1 workload"));
}

TEST_CASE("a try's speedup is a number where its reference's times are well known") {
  std::map<std::string, std::vector<model::Trace>> traces{{"s", {result("s", "w", 10, 9.9, 10.1)}}};
  const auto settled = report::settle(traces);
  CHECK(settled.cautions.empty());
  CHECK_THAT(report::headline(report::summarize(traces.at("s"), settled.ranges)),
             Catch::EndsWith(", 10.00x the reference"));
}

TEST_CASE("the solutions of one try have one time of the reference, as in reports") {
  std::map<std::string, std::vector<model::Trace>> traces{{"s", {result("s", "w", 8, 7.9, 8.1)}},
                                                          {"t", {result("t", "w", 12, 11.9, 12.1)}}};
  const auto settled = report::settle(traces);
  for (const char* solution : {"s", "t"}) {
    const auto summary = report::summarize(traces.at(solution), settled.ranges);
    CHECK(*summary.speedup == Approx(10));
    CHECK(summary.speedup_range->low == Approx(8));
    CHECK(summary.speedup_range->high == Approx(12));
  }
}
