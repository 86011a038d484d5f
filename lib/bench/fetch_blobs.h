#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "bench/plan.h"

namespace fib::bench {

// Has `git lfs` fetch the blobs that the plan's workloads need and that are pointers, one call a dataset;
// `say` is told before each, and what went wrong. Returns soon after `interrupted` becomes true. A workload
// whose blob stays a pointer fails later, with a message of its own.
void fetch_blobs(const Plan& plan, const std::vector<dataset::Dataset>& datasets,
                 const std::function<void(const std::string&)>& say, const std::atomic<bool>& interrupted);

}  // namespace fib::bench
