#pragma once

#include <vector>

#include "present/table.h"
#include "util/timeline.h"

namespace fib::cmd {

// Where the time of a run went: a row for each kind of span, those within evaluations by falling time, with
// their share of all evaluations' time, and what no span within them explains as the coordinator's own.
[[nodiscard]] present::Table time_table(const std::vector<util::Timeline::Total>& totals);

}  // namespace fib::cmd
