#include <catch2/catch.hpp>

#include "bench/failure_counts.h"

using namespace fib;
using model::Status;

namespace {

struct Counted {
  explicit Counted(std::size_t most = 3) : counts(most) {}

  void add(Status status, const std::string& note = "it broke\nmore") {
    bench::Measurement measurement;
    measurement.status = status;
    measurement.note = note;
    measurement.failure = bench::FailureFacts{model::ErrorCode::crash, 7};
    counts.add(planned(), measurement);
  }
  [[nodiscard]] bench::PlannedEvaluation planned(std::size_t point = 0) const {
    bench::PlannedEvaluation planned;
    planned.solution = &solution;
    planned.point = point;
    return planned;
  }
  [[nodiscard]] bool skips() const { return counts.skipped(planned()).has_value(); }

  model::Solution solution;
  bench::FailureCounts counts;
};

}  // namespace

TEST_CASE("a solution is not tried again after three failures, and gets the last one's status") {
  Counted counted;
  CHECK_FALSE(counted.skips());
  counted.add(Status::INCORRECT_SHAPE);
  counted.add(Status::INCORRECT_DTYPE);
  CHECK_FALSE(counted.skips());
  counted.add(Status::RUNTIME_ERROR);
  const auto skipped = counted.counts.skipped(counted.planned());
  REQUIRE(skipped);
  CHECK(skipped->status == Status::RUNTIME_ERROR);
  CHECK(skipped->note == "Solution skipped after 3 failures. Last error: it broke\n");
  REQUIRE(skipped->failure);
  CHECK(skipped->failure->code == model::ErrorCode::crash);
  CHECK(skipped->failure->skipped_after == 3U);
  CHECK_FALSE(skipped->failure->call);
  CHECK_FALSE(counted.counts.skipped(counted.planned(1)));  // another point of a sweep
}

TEST_CASE("a pass forgets failures, wrong numbers are none, and a timeout is as many as it takes") {
  Counted counted;
  counted.add(Status::RUNTIME_ERROR);
  counted.add(Status::RUNTIME_ERROR);
  counted.add(Status::PASSED);
  counted.add(Status::INCORRECT_NUMERICAL);
  counted.add(Status::RUNTIME_ERROR);
  CHECK_FALSE(counted.skips());
  counted.add(Status::TIMEOUT);
  CHECK(counted.skips());
  Counted never(0);
  never.add(Status::TIMEOUT);
  CHECK_FALSE(never.skips());
}
