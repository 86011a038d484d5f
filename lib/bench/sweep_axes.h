#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/sweep.h"

namespace fib::bench {

// Why a workload must not be run, a sentence; empty: it may.
using WorkloadCheck = std::function<std::string(const model::Definition&, const model::Workload&)>;

struct SkippedWorkload {
  std::string name;  // "gemm 1dbd40e4 M=3", or of a whole definition "gemm"
  std::string reason;
};

// Makes the workloads of a sweep over axes: each selected workload with each combination of the axes' values,
// and adds to `datasets` those that are not there: in memory only, no file is written. Of workloads that then
// have the same axes and inputs there is one: the dataset's where it has one. Others get a uuid that follows
// from the definition, axes and inputs, so that another run gives them the same. Only definitions that have
// all swept axes and a selected solution count, and only workloads all of whose inputs are random or scalars;
// what is left out, also by `check`, is listed in `skipped`, in order. Afterwards `datasets` may be planned
// for; pointers into their workloads from before are not valid.
[[nodiscard]] SweptWorkloads add_swept_workloads(std::vector<dataset::Dataset>& datasets,
                                                 const dataset::Filter& filter, const Sweep& sweep,
                                                 const WorkloadCheck& check,
                                                 std::vector<SkippedWorkload>& skipped);

}  // namespace fib::bench
