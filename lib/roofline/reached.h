#pragma once

#include <optional>
#include <string_view>

#include "model/definition.h"
#include "model/workload.h"
#include "roofline/bound.h"

// How near a latency comes to the roofline bound. All functions are pure.
namespace fib::roofline {

// A workload's work, the bound of the device for it, and what a latency makes of them.
struct Reached {
  Work work;
  std::optional<Bound> bound;  // nothing: no peak of the device is known
  std::optional<double> bytes_per_s;
  std::optional<double> flops_per_s;
  std::optional<double> share;  // bound over latency; above 1: faster than the bound
};

// `hardware` is the device's name, as in traces. Without a latency (in ms, above 0) only work and bound are
// told. Nothing where the workload's axes do not fit the definition.
[[nodiscard]] std::optional<Reached> reached(const model::Definition& definition,
                                             const model::Workload& workload, std::string_view hardware,
                                             std::optional<double> latency_ms);

// Flop/byte: where a workload stands in a roofline chart. Nothing when the flops are not known.
[[nodiscard]] std::optional<double> intensity(const Work& work);
// Nothing when the flops are not known.
[[nodiscard]] std::optional<double> achieved_flops_per_s(const Work& work, double latency_ms);
[[nodiscard]] double achieved_bytes_per_s(const Work& work, double latency_ms);

[[nodiscard]] std::string_view name_of(Binds binds);  // "memory", "compute"

}  // namespace fib::roofline
