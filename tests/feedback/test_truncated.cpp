#include <catch2/catch.hpp>

#include "feedback/truncated.h"

using namespace fib;
using feedback::truncated;
using Names = std::vector<std::string>;

TEST_CASE("what limits have cut is named") {
  model::MeasurementRecord record;
  CHECK(truncated(record, false).empty());
  CHECK(truncated(record, true) == Names{"log"});
  record.resources_cut = true;
  record.failure.emplace();
  CHECK(truncated(record, false) == Names{"resources"});
  record.failure->diagnostics_cut = true;
  CHECK(truncated(record, true) == Names{"resources", "diagnostics", "log"});
}
