#include <catch2/catch.hpp>

#include "dataset/reference_time.h"
#include "temporary_dataset.h"

using namespace fib;

namespace {

// One measurement of a reference in the making.
struct Made {
  double median = 10;
  std::string sets = "own";
  std::string run = "r1";
  std::string uuid = "w";
  std::string device = "GPU-1";
  std::string flush = "clean";
  double spread = 0.01;  // both quartiles lie half of it from the median
  std::string hardware = "H200";
};

// The rows of some traces, read from a file as reports read them.
class Rows {
 public:
  Rows() {
    files_.write("definitions/d.json", testing::definition_text("d"));
    files_.write("solutions/s.json", testing::solution_text("s", "me", "python"));
  }

  Rows& add(const Made& made) {
    const auto number = [](double value) { return std::to_string(value); };
    std::string reference = R"({"engine":"native","device":"cuda")";
    if (made.median > 0) {
      reference += R"(,"latency_ms":)" + number(made.median) + R"(,"n":20)";
      if (made.spread >= 0) {
        reference += R"(,"q25_ms":)" + number(made.median * (1 - made.spread / 2)) + R"(,"q75_ms":)" +
                     number(made.median * (1 + made.spread / 2)) + R"(,"sets":")" + made.sets + "\"";
      }
    }
    lines_ +=
        R"({"definition":"d","workload":)" + testing::workload_text(made.uuid) +
        R"(,"solution":"s","evaluation":{"status":"PASSED","environment":{"hardware":")" + made.hardware +
        R"("},"timestamp":"t","correctness":{},"performance":{"latency_ms":2,"reference_latency_ms":)" +
        number(made.median) + R"(,"speedup_factor":)" + number(made.median / 2) + R"(},"fib":{"run_id":")" +
        made.run + R"(","config":{"flush":")" + made.flush + R"("},"device":{"kind":"cuda","uuid":")" +
        made.device + R"("},"reference":)" + reference + "}}}}\n";
    return *this;
  }

  // The time of the first trace's reference.
  std::optional<dataset::ReferenceTime> time() {
    files_.write("traces/t.jsonl", lines_);
    dataset_ = dataset::load(files_.root());
    REQUIRE(dataset_.error_count() == 0);
    const dataset::ReferenceTimes times(dataset_.traces);
    const auto* time = times.of(dataset_.traces.front());
    return time != nullptr ? std::optional(*time) : std::nullopt;
  }

 private:
  testing::TemporaryDataset files_;
  std::string lines_;
  dataset::Dataset dataset_;
};

}  // namespace

TEST_CASE("a run has one time of a workload's reference: the median of what its evaluations measured") {
  const auto time = Rows().add({.median = 2.8}).add({.median = 18.7}).add({.median = 14.5}).time();
  REQUIRE(time);
  CHECK(time->median_ms == Approx(14.5));
  CHECK(time->evaluations == 3);
  CHECK(time->devices == 1);
  CHECK(time->low_ms == Approx(2.8));
  CHECK(time->high_ms == Approx(18.7));
  CHECK(time->spread() == Approx((18.7 - 2.8) / 14.5));
  CHECK(Rows().add({.median = 1}).add({.median = 3}).time()->median_ms == Approx(2));
}

TEST_CASE("a measurement that all solutions share is one, the last of them") {
  Rows rows;
  rows.add({.median = 10, .sets = "shared"}).add({.median = 10, .sets = "shared"});
  rows.add({.median = 11, .sets = "shared"}).add({.median = 20}).add({.median = 30});
  const auto time = rows.time();
  REQUIRE(time);
  CHECK(time->evaluations == 3);
  CHECK(time->median_ms == Approx(20));
}

TEST_CASE("each device of a run weighs the same, and how far they are apart is known") {
  Rows rows;
  rows.add({.median = 10}).add({.median = 10}).add({.median = 10}).add({.median = 14, .device = "GPU-2"});
  const auto time = rows.time();
  REQUIRE(time);
  CHECK(time->devices == 2);
  CHECK(time->median_ms == Approx(12));
  CHECK(time->device_range == Approx(4.0 / 12));
}

TEST_CASE("other runs, workloads, hardware and conditions have times of their own") {
  for (const Made& other : {Made{.median = 50, .run = "r2"}, Made{.median = 50, .uuid = "v"},
                            Made{.median = 50, .flush = "none"}, Made{.median = 50, .hardware = "H100"}}) {
    CHECK(Rows().add({.median = 10}).add(other).time()->median_ms == Approx(10));
  }
}

TEST_CASE("the quartiles of the calls widen what the time spans") {
  const auto time = Rows().add({.median = 10, .spread = 0.4}).time();
  REQUIRE(time);
  CHECK(time->low_ms == Approx(8));
  CHECK(time->high_ms == Approx(12));
}

TEST_CASE("where run, time or spread are not recorded, what the trace says itself is all that is known") {
  CHECK_FALSE(Rows().add({.run = ""}).time());
  CHECK_FALSE(Rows().add({.spread = -1}).time());
  CHECK_FALSE(Rows().add({.median = 0}).time());
}
