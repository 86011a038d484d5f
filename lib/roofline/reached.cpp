#include "roofline/reached.h"

#include <utility>

namespace fib::roofline {

std::optional<Reached> reached(const model::Definition& definition, const model::Workload& workload,
                               std::string_view hardware, std::optional<double> latency_ms) {
  auto work = known_work(definition, workload);
  if (!work) return std::nullopt;
  Reached result;
  if (const auto peak = peak_of(hardware)) result.bound = bound_of(*work, *peak);
  if (latency_ms) {
    result.bytes_per_s = achieved_bytes_per_s(*work, *latency_ms);
    result.flops_per_s = achieved_flops_per_s(*work, *latency_ms);
    if (result.bound) result.share = result.bound->ms / *latency_ms;
  }
  result.work = std::move(*work);
  return result;
}

std::optional<double> intensity(const Work& work) {
  if (!work.flops || work.bytes <= 0) return std::nullopt;
  return *work.flops / work.bytes;
}

std::optional<double> achieved_flops_per_s(const Work& work, double latency_ms) {
  if (!work.flops || latency_ms <= 0) return std::nullopt;
  return *work.flops / latency_ms * 1e3;
}

double achieved_bytes_per_s(const Work& work, double latency_ms) {
  return latency_ms > 0 ? work.bytes / latency_ms * 1e3 : 0;
}

std::string_view name_of(Binds binds) { return binds == Binds::memory ? "memory" : "compute"; }

}  // namespace fib::roofline
