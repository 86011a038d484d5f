#include <catch2/catch.hpp>

#include "bench/lanes.h"

using namespace fib;

namespace {

// `counts` evaluations of a solution each, all at one point of the sweep.
bench::Plan plan_of(const std::vector<model::Solution>& solutions, const std::vector<std::size_t>& counts) {
  bench::Plan plan;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t k = 0; k < counts[i]; ++k) {
      plan.evaluations.emplace_back();
      plan.evaluations.back().solution = &solutions[i];
    }
  }
  return plan;
}

}  // namespace

TEST_CASE("a piece of the plan is one solution's, and what follows is known before it is taken") {
  const std::vector<model::Solution> solutions(2);
  const auto plan = plan_of(solutions, {3, 2});
  bench::WorkQueue queue(plan, 1);
  CHECK(queue.upcoming() == plan.evaluations.data());
  CHECK(queue.next().size() == 3);
  CHECK(queue.upcoming() == &plan.evaluations[3]);
  CHECK(queue.next().size() == 2);
  CHECK(queue.upcoming() == nullptr);
  CHECK(queue.next().empty());
}

TEST_CASE("no piece goes over points of the sweep") {
  const std::vector<model::Solution> solutions(1);
  auto plan = plan_of(solutions, {4});
  plan.evaluations[3].point = 1;
  bench::WorkQueue queue(plan, 1);
  CHECK(queue.next().size() == 3);
  CHECK(queue.next().size() == 1);
}

TEST_CASE("several lanes get pieces of at most a quarter of their share") {
  const std::vector<model::Solution> solutions(1);
  const auto plan = plan_of(solutions, {40});
  bench::WorkQueue queue(plan, 2);
  CHECK(queue.next().size() == 5);
  bench::WorkQueue small(plan, 40);
  CHECK(small.next().size() == 1);
}
