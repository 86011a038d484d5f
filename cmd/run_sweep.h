#pragma once

#include <string>
#include <vector>

#include "bench/sweep_axes.h"

namespace fib::cmd {

// The sweep of `fib run --sweep`; without `texts` the one configuration. Throws CLI::ValidationError.
[[nodiscard]] bench::Sweep choose_sweep(const std::vector<std::string>& texts, const bench::RunConfig& config,
                                        const std::vector<dataset::Dataset>& datasets,
                                        const dataset::Filter& filter);

// The workloads of a sweep over axes, which are added to `datasets`; none where no axis is swept. What is
// left out is logged, with its reason.
[[nodiscard]] bench::SweptWorkloads swept_workloads(std::vector<dataset::Dataset>& datasets,
                                                    const dataset::Filter& filter, const bench::Sweep& sweep);

// "  iterations=10 n=64" of one planned evaluation; empty where nothing is swept.
[[nodiscard]] std::string swept_text(const bench::PlannedEvaluation& planned);

}  // namespace fib::cmd
