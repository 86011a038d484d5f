#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dataset/filter.h"

namespace fib::dataset {

// Calls `visit` with every result of the dataset that passes the filter, in the order of load(), without
// keeping any: memory is bounded by the largest file. `dataset` holds definitions and solutions (load() with
// KeepResults::no). Lines that cannot be read are described in `unreadable`. Throws Error when a file cannot
// be read, and what `visit` throws.
void for_each_trace(const Dataset& dataset, const Filter& filter, std::vector<std::string>& unreadable,
                    const std::function<void(const model::Trace&)>& visit);

}  // namespace fib::dataset
