#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measurement.h"
#include "bench/overhead.h"
#include "worker/clients.h"

namespace fib::bench {

// Whether the times that a worker claims can be true, and how they are sorted into trials: functions of what
// was seen, without state. Those that find something wrong return it as a sentence for the log.

// Of one call: not longer than the coordinator saw, and not shorter than writing its outputs takes on the
// fastest memory.
[[nodiscard]] std::optional<std::string> impossible_claim(const worker::CallTimes& ran,
                                                          std::uint64_t output_bytes, bool on_cuda);

// What a whole call took by the coordinator's clock, in milliseconds: preparing it, running, collecting, and
// opening the workload where that is part of it.
[[nodiscard]] double wall_ms(const worker::CallTimes& call);

// The same without the time in which the worker's main thread or the coordinator was ready to run and had no
// CPU, as far as others than the worker had it, where no process of its own may have ended meanwhile; at
// least 0. Pure.
[[nodiscard]] double wall_without_waiting_ms(const worker::CallTimes& call);

// What all of the worker's threads and processes but the main thread used of the CPUs in that time. Pure.
[[nodiscard]] double others_ms(const worker::CallTimes& call);

// Fills anew trials_ms, unexplained_ms, unclaimed_ms, envelopes_ms, walls_ms, others_ms, host_ms and
// clocks_mhz of `m` from the calls that count, in order: groups of warm-up calls, which are left out, then
// timed ones, by m.plan. `m.clock`, `m.on_cuda`, `m.overhead` and `m.round_trip_ms` are set.
void sort_into_trials(const std::vector<worker::CallTimes>& runs, bool is_guest, Measurement& m);

// Adds to the times of each trial what its calls took beyond their claims, where that is more than m.overhead
// (on a device: the slack of unexplained_time) leaves open, and keeps it in m.added_ms. Whether it is more is
// said by a low quartile of the claims with all that they leave out, beside the median of the claims: most
// calls have to do the work, so that a lie that moves it around from call to call gains nothing, and what
// disturbs some calls of a busy machine is no lie. What is added is the difference of the medians.
void add_unclaimed_time(Measurement& m);
[[nodiscard]] std::optional<std::string> about_added_time(const Measurement& m);

// The coordinator's clock saw more, in some trial, than the claims and known waiting; compared as above.
[[nodiscard]] std::optional<std::string> unexplained_time(const Measurement& m);

// How much longer the worker's own clock saw the calls than events: the median of the trial with the most;
// nothing where it is not known. Pure.
[[nodiscard]] std::optional<double> beyond_events_ms(const Measurement& m);

// That is more than two clocks differ by: a kernel reaches the memory in which events keep their times.
[[nodiscard]] std::optional<std::string> rewritten_events(const Measurement& m);
// Whether it is in all trials, two at least: a machine disturbs some.
[[nodiscard]] bool rewrites_all_trials(const Measurement& m);

// The second clock of a device saw more work than events, in the median.
[[nodiscard]] std::optional<std::string> disagreeing_clocks(const Measurement& m);

// Whether CUPTI's time shows work that the events' time leaves out, in nanoseconds. Two device clocks never
// read the same (docs/measuring.md).
[[nodiscard]] bool sees_more(double cupti_ns, double events_ns);

}  // namespace fib::bench
