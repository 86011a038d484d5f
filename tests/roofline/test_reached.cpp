#include <catch2/catch.hpp>

#include "roofline/reached.h"
#include "roofline/shapes.h"

using namespace fib;
using testing::shapes;
using testing::tensor;

namespace {

model::Definition gemm() {
  return shapes("gemm", "gemm", {{"M", -1}, {"N", 64}, {"K", 32}},
                {tensor("A", "float16", {"M", "K"}), tensor("B", "float16", {"N", "K"})},
                {tensor("C", "float16", {"M", "N"})});
}

}  // namespace

TEST_CASE("what a latency reaches is the work over it, and its share of the bound where there is one") {
  const auto definition = gemm();
  const auto workload = testing::at({{"M", 128}});
  const double bytes = 2 * (128 * 32 + 64 * 32 + 128 * 64);
  const double flops = 2.0 * 128 * 64 * 32;
  const auto known = roofline::reached(definition, workload, "NVIDIA H200", 0.5);
  REQUIRE(known);
  CHECK(known->work.bytes == bytes);
  CHECK(known->bytes_per_s == Approx(bytes * 2000));
  CHECK(known->flops_per_s == Approx(flops * 2000));
  REQUIRE(known->bound);
  CHECK(known->share == Approx(known->bound->ms / 0.5));
  const auto unknown = roofline::reached(definition, workload, "Some CPU", 0.5);
  REQUIRE(unknown);
  CHECK_FALSE(unknown->bound);
  CHECK_FALSE(unknown->share);
  const auto failed = roofline::reached(definition, workload, "NVIDIA H200", std::nullopt);
  REQUIRE(failed);
  CHECK(failed->bound);
  CHECK_FALSE(failed->bytes_per_s);
  CHECK_FALSE(failed->flops_per_s);
  CHECK_FALSE(failed->share);
  CHECK_FALSE(roofline::reached(definition, testing::at({}), "NVIDIA H200", 0.5));
}
