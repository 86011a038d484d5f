#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "worker/clients.h"

namespace fib::bench {

// What the calls of a workload take on the CPU beside the work itself, in milliseconds: measured with the
// reference's worker, which takes the same steps over the same layout and does not lie, or assumed. What a
// solution's worker takes beyond it is work that its claim leaves out.
struct Overhead {
  double gap_ms = 0;      // the coordinator's clock around Run, less the claim
  double prepare_ms = 0;  // the coordinator's clock around Prepare
  double collect_ms = 0;  // and Collect
  double rest_ms = 0;     // and from there until the main thread sleeps
  double cpu_ms = 0;      // CPU time of the worker's main thread in the whole call beside the work: at least
                          // that of Prepare and Collect
  double slack_ms = 0;    // by how much a trial's calls may be above all that for other reasons (claims.h)
};

// Nothing where there are no calls.
[[nodiscard]] std::optional<Overhead> overhead_of(const std::vector<worker::CallTimes>& reference_calls);

// What Prepare and Collect may take on a GPU where no reference's worker tells, with `bytes` of inputs and
// outputs: several times what copies, comparisons of inputs and the flush of the caches took on the GPUs
// tried.
[[nodiscard]] Overhead assumed_overhead(std::uint64_t bytes);

// The same for a guest, where the reference's worker is none: `tensors` are made in Python for each call.
[[nodiscard]] Overhead for_guest(Overhead overhead, std::size_t tensors);

// How much longer a call took than it claims and `overhead` explains, in milliseconds, never below 0: the
// time around the run, and after the answer to Collect until the main thread sleeps; in Prepare and Collect
// time in which the main thread used the CPU, and where the worker `may_fork` any time; and what its other
// threads and processes used of the CPUs outside of the run.
// Waiting for a CPU explains what others used, not what the worker did.
[[nodiscard]] double unclaimed_ms(const worker::CallTimes& ran, const Overhead& overhead, bool may_fork);

// Of that, by how much Prepare and Collect took longer. Waiting in them does not count, except for as
// long as the worker's own threads and processes used the CPUs.
[[nodiscard]] double longer_around_ms(const worker::CallTimes::Beside& beside, const Overhead& overhead);

}  // namespace fib::bench
