#pragma once

#include <optional>
#include <string>

#include "model/measurement_record.h"
#include "roofline/reached.h"

namespace fib::feedback {

// What to do next about a result, in a sentence: of a failure the advice of its code; else what the kernels'
// resources and the share of the roofline bound suggest, from the most certain on: values that went to local
// memory, few warps, little of the bound, or nearly all of it. Nothing where nothing is known. `reached` may
// be nothing. Pure.
[[nodiscard]] std::optional<std::string> hint_of(const model::MeasurementRecord& record,
                                                 const std::optional<roofline::Reached>& reached);

}  // namespace fib::feedback
