#include <catch2/catch.hpp>

#include "dataset/source_limit.h"

using namespace fib;

TEST_CASE("the sources of all solutions count together") {
  model::Solution solution;
  solution.sources = {{"a.cu", std::string(1U << 20U, 'x'), {}}, {"b.h", std::string(512, 'x'), {}}};
  dataset::SourceLimit limit(2U << 20U);
  CHECK_NOTHROW(limit.take(solution));
  CHECK_THROWS_WITH(limit.take(solution),
                    "the solutions of the dataset before this one have 2 MiB of sources; no more are read");
  solution.sources.clear();
  CHECK_THROWS_AS(limit.take(solution), Error);  // what comes after is not read either
}
