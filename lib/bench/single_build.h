#pragma once

#include "bench/build_pool.h"
#include "bench/session.h"

namespace fib::bench {

// Builds one solution for the session's first device outside of a run, or takes it from the cache, after
// Session::begin(). An error where that was interrupted.
[[nodiscard]] BuildOutcome build_single(const Session& session, const RunConfig& config,
                                        const model::Solution& solution, const model::Definition& definition);

}  // namespace fib::bench
