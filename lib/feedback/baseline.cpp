#include "feedback/baseline.h"

namespace fib::feedback {

std::optional<model::RecordedBaseline> baseline_of(bool has_speedup, const model::MeasurementRecord& record) {
  const auto& reference = record.reference;
  if (!has_speedup || !reference) return std::nullopt;
  return model::RecordedBaseline{"reference", reference->engine, reference->device};
}

}  // namespace fib::feedback
