#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "bench/config.h"
#include "bench/environment.h"
#include "bench/plan.h"
#include "model/measurement_record.h"
#include "model/trace.h"

// Times of references that were measured before. Most of a short try is torch's import, which runs the
// reference: where its time is known already, the native engine tells what is right, and nothing is imported.
namespace fib::bench {

// By definition and workload: the record that an evaluation has of its reference, with `timed_by` and
// `timed_utc`.
using EarlierReferences = std::map<std::pair<std::string, std::string>, model::RecordedReference>;

// For so long a time counts: a device's clocks, its temperature and what else works there change.
inline constexpr std::int64_t kReferenceCountsUs = std::int64_t{3600} * 1'000'000;
// References that are slower are run again: the native engine may be slower still, and an import is little
// beside them.
inline constexpr double kSlowestEarlierReferenceMs = 1;

// Whether this trace tells the time of its reference, by torch on the device of the solution: measured then,
// and not taken from a trace before. Pure.
[[nodiscard]] bool measures_reference(const model::Trace& trace);

// The time of the reference in `trace`, for an evaluation at `now_us` (microseconds since 1970, UTC): where
// definition, workload, device, Python, torch, fib, flush and clock are the same, it was measured by as many
// calls as an evaluation now makes at least, or ten, is not slower than the above, and not older. Pure.
[[nodiscard]] std::optional<model::RecordedReference> earlier_reference(
    const model::Trace& trace, const PlannedEvaluation& planned, const RunConfig& config,
    const Environment& environment, const std::string& version, std::int64_t now_us);

}  // namespace fib::bench
