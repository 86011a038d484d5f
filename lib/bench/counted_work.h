#pragma once

#include "bench/calls.h"
#include "bench/evaluation_parts.h"
#include "bench/expected_outputs.h"
#include "bench/measurement.h"

// Clocks of a GPU run in the process of the solution, whose native code can reach them. A device of compute
// capability 9.0 or later also counts itself for how long it was at work, whoever gave it the work and
// whatever that process says: so much must be claimed. Its counters are read ten times a second, which takes
// longer than most evaluations: of several evaluations of a solution one is counted (held_results.h), after
// all of them, when their claims cannot be changed any more.
namespace fib::bench {

// Where the device's work shall be counted and the solution has host code: says in m.count_wanted which calls
// of this evaluation, which has passed, are to be made for that, or in m.counted why none are. One thread.
void want_count(const EvaluationParts& parts, const ExpectedOutputs& expected, const Calls& calls,
                Measurement& m);

// Makes the calls of m.count_wanted, at any time after the evaluation, with a worker that has the solution
// loaded: no clock of the worker times them, and the device counts its work. Nothing else is part of the
// count: each call has private buffers of its own, which the judge fills before, with the caches flushed, and
// compares afterwards. Where calls return their outputs the worker copies them, and the judge times such
// copies. Leaves what was seen in `m.counted`. Where three counts do not agree with the claims before more of
// them do, and two have seen more work, or the solution fails otherwise, that is m's status, and its log says
// so; but where calls vary so much that claimed_ms() says too little, their mean becomes the latency. Throws
// NoVerdict where others keep the device busy or its memory full; Error where counters fail; ReferenceError,
// worker::JudgeLost. One thread.
void count_work(const EvaluationParts& parts, Measurement& m);

}  // namespace fib::bench
