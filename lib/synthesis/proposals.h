#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/definition.h"
#include "model/workload.h"

namespace fib::synthesis {

struct ProposalLimits {
  std::uint64_t bytes = std::uint64_t{1} << 30U;  // of all inputs and outputs of one workload
};

// Up to `count` workloads for a definition that has none: small sizes first, then odd ones, then medium ones,
// then others between. Sizes follow the names of axes (batch_size, total_q, num_pages, ...) and are changed
// until the constraints over axes hold; the largest has some thousand queries and ten thousand keys, so that
// a reference answers in seconds. Fewer are returned where sizes repeat; a definition without variable axes
// has one workload. Scalars have sensible values (scalars.h), all other inputs are random: the integer ones
// among them must be made (inputs.h; `fib run --synthesize-missing`).
//
// A pure function of its arguments: equal definitions get equal uuids. Throws Error when the smallest sizes
// take more than the limit, when no sizes keep the constraints, and when integers cannot be made.
[[nodiscard]] std::vector<model::Workload> propose_workloads(const model::Definition& definition,
                                                             std::size_t count,
                                                             const ProposalLimits& limits = {});

}  // namespace fib::synthesis
