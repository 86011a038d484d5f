#pragma once

#include <CLI/CLI.hpp>

#include "dataset/filter.h"
#include "dataset/load.h"
#include "report_common.h"

namespace fib::cmd {

// The one dataset that --local names, or the default one. Throws Error when `filter` names what it does not
// have.
[[nodiscard]] dataset::Dataset one_dataset(const ReadOptions& options, const dataset::Filter& filter);

// `fib apply trust`.
void add_apply_trust(CLI::App& group, int& exit_code);

}  // namespace fib::cmd
