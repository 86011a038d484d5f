#include <catch2/catch.hpp>

#include "bench/early_end.h"

using namespace fib;
using bench::EarlyEnd;

namespace {

struct Clock {
  std::int64_t ns = 5'000'000'000;
  [[nodiscard]] std::function<std::int64_t()> read() {
    return [this] { return ns; };
  }
};

const model::Solution& my_norm() {
  static const model::Solution kSolution = [] {
    model::Solution solution;
    solution.name = "my_norm";
    return solution;
  }();
  return kSolution;
}

void finish(EarlyEnd& end, model::Status status) {
  bench::PlannedEvaluation planned;
  planned.solution = &my_norm();
  model::Evaluation evaluation;
  evaluation.status = status;
  end.finished(planned, evaluation);
}

}  // namespace

TEST_CASE("a run without limits goes on whatever fails") {
  Clock clock;
  EarlyEnd end({}, clock.read());
  finish(end, model::Status::TIMEOUT);
  clock.ns += std::int64_t{1} << 60;
  CHECK_FALSE(end.cause());
  CHECK(end.text().empty());
}

TEST_CASE("failing fast ends a run at the first failure, and names it") {
  Clock clock;
  EarlyEnd end({.fail_fast = true}, clock.read());
  finish(end, model::Status::PASSED);
  CHECK_FALSE(end.cause());
  finish(end, model::Status::TIMEOUT);
  finish(end, model::Status::COMPILE_ERROR);
  CHECK(end.cause() == EarlyEnd::Cause::failure);
  CHECK(end.text() == "--fail-fast: my_norm did not pass (TIMEOUT)");
}

TEST_CASE("the time of a run counts from its beginning; the first cause stays") {
  Clock clock;
  EarlyEnd end({.fail_fast = true, .max_time_s = 2}, clock.read());
  clock.ns += 2'000'000'000;
  CHECK_FALSE(end.cause());
  clock.ns += 1;
  CHECK(end.cause() == EarlyEnd::Cause::time);
  finish(end, model::Status::TIMEOUT);
  CHECK(end.cause() == EarlyEnd::Cause::time);
  CHECK(end.text() == "--max-time: 2 s are over");
}
