#pragma once

#include "model/measurement_record.h"
#include "model/trace.h"

namespace fib::feedback {

// What a reward may be made of, of one result whose record is `record` but for these: whether it was built,
// whether it passed, its speedup where one is known, its share of the roofline bound where that is, and
// whether the sandbox or the judge caught what no honest solution does. Pure.
[[nodiscard]] model::RecordedReward reward_of(const model::Evaluation& evaluation,
                                              const model::MeasurementRecord& record);

}  // namespace fib::feedback
