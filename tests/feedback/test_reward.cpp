#include <catch2/catch.hpp>

#include "feedback/reward.h"

using namespace fib;
using feedback::reward_of;

TEST_CASE("what passed is rewarded for its speedup and its share of the bound") {
  model::Evaluation evaluation;
  evaluation.status = model::Status::PASSED;
  evaluation.performance = {0.5, 1, 2, {}};
  model::MeasurementRecord record;
  record.roofline.emplace().share = 0.25;
  const auto reward = reward_of(evaluation, record);
  CHECK(reward.built == true);
  CHECK(reward.correct == 1.0);
  CHECK(reward.speedup == 2.0);
  CHECK(reward.share_of_bound == 0.25);
  CHECK(reward.violation == false);
  evaluation.performance->speedup_factor = 0;  // there is no reference to compare with
  CHECK_FALSE(reward_of(evaluation, record).speedup);
}

TEST_CASE("what failed has neither speedup nor share, and what was caught is a violation") {
  model::Evaluation evaluation;
  evaluation.status = model::Status::COMPILE_ERROR;
  model::MeasurementRecord record;
  record.failure.emplace();
  CHECK(reward_of(evaluation, record).built == false);
  evaluation.status = model::Status::RUNTIME_ERROR;
  record.failure->violation = true;
  const auto reward = reward_of(evaluation, record);
  CHECK(reward.built == true);
  CHECK(reward.correct == 0.0);
  CHECK_FALSE(reward.speedup);
  CHECK_FALSE(reward.share_of_bound);
  CHECK(reward.violation == true);
}
