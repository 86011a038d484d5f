#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "dataset/trace_row.h"

// How long a workload's reference took: one number for all solutions of a run, so that noise in one of its
// measurements favours no solution.
namespace fib::dataset {

struct ReferenceTime {
  double median_ms = 0;  // over the run's devices of one hardware: the median of theirs
  // From the lowest to the highest median that any evaluation measured, and at least from the median of their
  // lower quartiles to that of their upper ones.
  double low_ms = 0;
  double high_ms = 0;
  std::size_t devices = 0;      // on which it was measured
  double device_range = 0;      // (highest - lowest) / median of the devices' medians
  std::size_t evaluations = 0;  // that measured it; those that shared a measurement are one

  // (high_ms - low_ms) / median_ms.
  [[nodiscard]] double spread() const { return (high_ms - low_ms) / median_ms; }
};

// The times of the references in some traces. Immutable once made; may be read by any thread.
class ReferenceTimes {
 public:
  explicit ReferenceTimes(const std::vector<TraceRow>& rows);

  // The time that the reference took in the run of `row`, on its workload and hardware and under its
  // conditions. Null where the trace does not say in which run it was made or how widely the reference's
  // calls spread: then what it recorded itself stands.
  [[nodiscard]] const ReferenceTime* of(const TraceRow& row) const;

 private:
  std::map<std::string, ReferenceTime> times_;
};

}  // namespace fib::dataset
