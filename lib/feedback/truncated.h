#pragma once

#include <string>
#include <vector>

#include "model/measurement_record.h"

namespace fib::feedback {

// Which of "resources", "diagnostics" and "log" hold less than there was; the record says it of the first
// two. Pure.
[[nodiscard]] std::vector<std::string> truncated(const model::MeasurementRecord& record, bool log_is_cut);

}  // namespace fib::feedback
