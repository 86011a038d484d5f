#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/earlier_reference.h"
#include "bench/environment.h"
#include "bench/plan.h"
#include "model/trace.h"

// The times of references that tries have measured, kept in the cache by definition.
namespace fib::cmd {

// Those of all evaluations of a plan for these datasets; nothing where one is missing, or the plan is empty.
// What cannot be read is missing, and what was measured on other files (kept_traces.h). `now_us`:
// microseconds since 1970, UTC.
[[nodiscard]] bench::EarlierReferences read_references(const bench::Plan& plan,
                                                       const std::vector<dataset::Dataset>& datasets,
                                                       const bench::RunConfig& config,
                                                       const bench::Environment& environment,
                                                       std::int64_t now_us);

// Keeps the times that these traces tell, which to_keep() has made (eval_results.h), in place of those before
// of the same work and device. Throws Error when they cannot be written.
void keep_references(const std::map<std::string, std::vector<model::Trace>>& traces);

// Of traces whose reference was timed before: a sentence that says when, and how it is timed again. Nothing
// where there are none. Pure.
[[nodiscard]] std::optional<std::string> about_references(
    const std::map<std::string, std::vector<model::Trace>>& traces, std::int64_t now_us);

}  // namespace fib::cmd
