#pragma once

#include "model/json_value.h"
#include "report/show.h"

// The views of `fib report show` for programs: the whole documents. Pure.
namespace fib::report {

[[nodiscard]] model::json::Value to_json(const DefinitionView& view);
[[nodiscard]] model::json::Value to_json(const SolutionView& view);
[[nodiscard]] model::json::Value to_json(const WorkloadView& view);
[[nodiscard]] model::json::Value to_json(const TraceView& view);

}  // namespace fib::report
