#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measurement.h"

// What a device's own counters may see of calls (counted_work.h) beyond what these calls claim.
namespace fib::bench {

// What the calls of these trials claim, the mean, in milliseconds: work that differs from call to call has a
// mean above its latency. A claim counts up to twice the latency (the mean of the trials' medians, or the
// median of all calls, which is less), and the mean up to 5 % above it, since long claims in some calls or
// trials shall not pay for work that the others hide. Pure; at least one call.
[[nodiscard]] double claimed_ms(const std::vector<std::vector<double>>& trials_ms);

// What a timed call is like.
struct UsualCall {
  double wall_ms = 0;  // usual_wall_ms()
  bool in_python = false;
  double others_ms = 0;           // usual_others_ms()
  double beside_ms = 0;           // of wall_ms, usual_beside_ms()
  bool others_are_exact = false;  // Measurement::others_are_exact: counted calls are held against their like
};

// What a timed call takes by the coordinator's clock: what is claimed, and the least that any call took
// beside it, since a solution could make most of them long. Pure; at least one call.
[[nodiscard]] double usual_wall_ms(const Measurement& m);

// Of that, what is no part of the claim. Pure; at least one call.
[[nodiscard]] double usual_beside_ms(const Measurement& m);

// What all threads but the main one used of the CPUs in a timed call, the median; of those that are exact
// where there are some. Pure.
[[nodiscard]] double usual_others_ms(const Measurement& m);

// How long a counted call may take by that clock. Pure.
[[nodiscard]] double most_wall_ms(const UsualCall& usual);

// Whether the device was at work for longer than is claimed, its multiprocessors or its engine for kernels,
// or exchanged more with the host than can be done in that time: as a sentence for the log. Pure.
[[nodiscard]] std::optional<std::string> unclaimed_work(const CountedWork& counted);

// Whether a tenth of the counted calls took much longer than timed ones: the host may have computed instead
// of the device, or the machine was too busy. Pure.
[[nodiscard]] bool is_slow(const CountedWork& counted, const UsualCall& usual);

// Whether in counted calls, or in a tenth of them, other threads used more of the CPUs than they may beside
// what they use in timed ones, or as much as a core can in a call: where they always do, nobody knows for
// what. Pure.
[[nodiscard]] bool computes_beside(const CountedWork& counted, const UsualCall& usual);

// Whether the engine was at work for so much longer than what is left open that a lie in other workloads of
// the solution would have shown here, too. Pure.
[[nodiscard]] bool tells_of_others(const CountedWork& counted);

}  // namespace fib::bench
