#include <catch2/catch.hpp>

#include "feedback/baseline.h"

using namespace fib;
using feedback::baseline_of;

TEST_CASE("a speedup compares with the reference, where that is known") {
  model::MeasurementRecord record;
  CHECK_FALSE(baseline_of(true, record));  // of an old trace
  record.reference.emplace().engine = "python";
  record.reference->device = "cpu";
  CHECK_FALSE(baseline_of(false, record));
  const auto baseline = baseline_of(true, record);
  REQUIRE(baseline);
  CHECK(baseline->name == "reference");
  CHECK(baseline->engine == "python");
  CHECK(baseline->device == "cpu");
}
