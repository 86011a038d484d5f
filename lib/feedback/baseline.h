#pragma once

#include <optional>

#include "model/measurement_record.h"

namespace fib::feedback {

// What a speedup compares with: the definition's reference, and where it ran; nothing where there is no
// speedup, or `record` knows of no reference. Pure.
[[nodiscard]] std::optional<model::RecordedBaseline> baseline_of(bool has_speedup,
                                                                 const model::MeasurementRecord& record);

}  // namespace fib::feedback
