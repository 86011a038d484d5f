#include "feedback/reward.h"

namespace fib::feedback {

model::RecordedReward reward_of(const model::Evaluation& evaluation, const model::MeasurementRecord& record) {
  const bool passed = evaluation.status == model::Status::PASSED;
  model::RecordedReward reward;
  reward.built = evaluation.status != model::Status::COMPILE_ERROR;
  reward.correct = passed ? 1 : 0;
  if (passed && evaluation.performance && evaluation.performance->speedup_factor > 0)
    reward.speedup = evaluation.performance->speedup_factor;
  if (passed && record.roofline) reward.share_of_bound = record.roofline->share;
  reward.violation = record.failure && record.failure->violation.value_or(false);
  return reward;
}

}  // namespace fib::feedback
