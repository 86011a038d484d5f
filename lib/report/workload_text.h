#pragma once

#include <string>

#include "model/workload.h"
#include "present/table.h"

// How tables show a workload.
namespace fib::report {

// "batch_size=4, len=128"; for programs an object.
[[nodiscard]] present::Cell axes_cell(const model::Workload& workload);

// The first characters of a long uuid, then the axes: "1dbd40e4 batch_size=4".
[[nodiscard]] std::string workload_text(const model::Workload& workload);

}  // namespace fib::report
