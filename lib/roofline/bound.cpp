#include "roofline/bound.h"

#include <algorithm>
#include <cmath>

#include "roofline/bytes.h"
#include "roofline/flops.h"
#include "roofline/shapes.h"
#include "util/error.h"

namespace fib::roofline {

Work work_of(const model::Definition& definition, const model::Workload& workload) {
  const Shapes shapes(definition, workload);
  const Bytes bytes = bytes_of(shapes);
  const Flops flops = flops_of(shapes);
  return {bytes.bytes, bytes.rule, flops.flops, flops.arithmetic, flops.rule};
}

std::optional<Work> known_work(const model::Definition& definition, const model::Workload& workload) {
  try {
    return work_of(definition, workload);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Bound> bound_of(const Work& work, const Peak& peak) {
  constexpr double kMs = 1e3;
  const double rate = work.flops ? peak.flops_per_s(work.arithmetic) : 0;
  const double memory = peak.bytes_per_s > 0 ? kMs * work.bytes / peak.bytes_per_s : 0;
  const double compute = rate > 0 ? kMs * *work.flops / rate : 0;
  if (std::max(memory, compute) <= 0) return std::nullopt;
  return Bound{std::max(memory, compute), compute > memory ? Binds::compute : Binds::memory};
}

std::optional<double> sol_score(double kernel_ms, double baseline_ms, double bound_ms) {
  const bool usable = std::isfinite(kernel_ms) && std::isfinite(baseline_ms) && kernel_ms > 0 && bound_ms > 0;
  if (!usable || baseline_ms <= bound_ms) return std::nullopt;
  const double above = std::max(0.0, kernel_ms - bound_ms);
  return 1 / (1 + above / (baseline_ms - bound_ms));
}

}  // namespace fib::roofline
