#pragma once

#include <optional>
#include <string>

#include "model/measurement_record.h"

// The conditions of a measurement: what else than solution, workload and hardware decides its result. Results
// of different conditions are never compared. How many calls were made is none of them.
namespace fib::dataset {

struct TraceRow;

// What the run was told, in words: "flush clean, clock auto, rtol 0.01, atol 0.01", and the share of elements
// that must match where the run says one below 1. Nothing where the record has no configuration.
[[nodiscard]] std::optional<std::string> run_conditions_text(const model::MeasurementRecord& record);

// What the definition and the workload add, in words: the judging rule, the kind of reference engine, a
// tolerance of their own, the names of made inputs. Nothing where none of it is recorded.
[[nodiscard]] std::optional<std::string> workload_conditions_text(const model::MeasurementRecord& record);

// Whether `row` tells of a failure before the reference was asked: its solution did not build, say. Such a
// record does not name the reference's engine, and holds under all conditions that a workload adds.
[[nodiscard]] bool fails_before_reference(const TraceRow& row);

// Whether two results on workloads of one uuid are of the same work, as far as both say: sizes and inputs of
// the workload, and the definition as it was. Else their latencies say nothing of each other.
[[nodiscard]] bool is_same_work(const TraceRow& left, const TraceRow& right);

}  // namespace fib::dataset
