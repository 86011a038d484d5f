#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/config.h"
#include "bench/plan.h"

namespace fib::bench {

// One configuration of a run.
struct SweepPoint {
  RunConfig config;
  nlohmann::ordered_json values;  // swept options, by name, with their values here; null: none is swept
};

// What one run measures with several values: `fib run --sweep`.
struct Sweep {
  std::vector<SweepPoint> points;                                       // at least one
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes;  // swept axes
  nlohmann::ordered_json record;  // every swept key with its values, for the run's record; null: none

  // One configuration, nothing swept.
  explicit Sweep(const RunConfig& config) : points{{config, nullptr}} {}
};

// The sweep that `texts` ("iterations=10,20", "batch_size=1,64") ask for: the product of all, the first
// changing slowest. A key is an option of `fib run` that decides results, by its name without dashes, or one
// of `axes`; an option comes first. Throws Error in one sentence for keys that are neither, naming what there
// is, for values that the option does not take, and for values or keys that are there twice.
[[nodiscard]] Sweep make_sweep(const std::vector<std::string>& texts, const RunConfig& base,
                               const std::set<std::string>& axes);

// The variable axes of all definitions that the filter selects.
[[nodiscard]] std::set<std::string> axes_of(const std::vector<dataset::Dataset>& datasets,
                                            const dataset::Filter& filter);

// Which evaluations are done already with this configuration.
using DoneOf = std::function<DoneEvaluations(const RunConfig&)>;

// The plans of all points, one after another: an evaluation knows its point, and the values of its axes too.
// Skipped solutions stand once. With axes, `workloads` says what is run.
[[nodiscard]] Plan plan_sweep(const std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter,
                              const PlanTarget& target, const Sweep& sweep, const SweptWorkloads& workloads,
                              const DoneOf& done_of);

// What all points have in common of to_json(config).
[[nodiscard]] nlohmann::ordered_json common_config(const Sweep& sweep);

}  // namespace fib::bench
