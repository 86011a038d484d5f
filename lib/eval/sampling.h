#pragma once

#include <memory>

#include "eval/host_evaluator.h"

// Sampling rule, for op_type "sampling" with integer outputs. Samples are random, so nothing is compared with
// the reference's draw; it is asked for its time only.
//
// The distribution. Row i of the input "probs" (V columns), cut by the inputs "top_k" and "top_p" where the
// definition's name contains "top_k_top_p" (both), else "top_k", else "top_p"; sampling_row.h says which
// tokens are kept. Mass is summed in double precision, and a row need not sum to 1.
//
// Every sample of every call must lie in [0, V), have a probability above 0 and be kept, else the call is
// wrong. A token is let pass where the mass before is above top_p by no more than float32 sums may err (10^-5
// to 2 * 10^-3 of it, by the number of tokens).
//
// All calls together must look like independent draws. Every call has new inputs, so tokens cannot be
// counted. But where a token x is drawn from its distribution, u = F(x-) + U p(x), with F(x-) the mass before
// x and U uniform, is uniform too, whatever the distribution; and independent draws give independent u. The
// judge makes two u of each sample, with tokens in the order of falling probability and in the order of their
// indices, with U from the run's secret, and tests by uniformity.h. Rows of which rounding or ties leave open
// what is kept are left out; of more than twice kMostSamples samples a random half is dropped, so that no
// call counts less than another:
//   * both u: distance and, from 400 samples on, smooth test;
//   * differences modulo 1 between a row's u in one call and in the next, both orders: distance. Draws that a
//     fixed seed repeats from call to call are near 0;
//   * differences modulo 1 between neighbouring rows of a call, both orders: distance. Rows that share one
//     random number are near 0;
//   * the same once more of rows in which no token has a tenth of what is kept: there u says most, and
//     filters that keep too few or too many tokens show;
//   * whether a row has the token of the call before, or of the row before, more often than chance has it
//     (repetition.h): samplers that compare one random number a token are found by that;
//   * the same of the calls alone whose inputs are those of the call before.
// Some calls, which are not timed, repeat the inputs of the one before (repeats_wanted()), where a sampler
// whose seed is fixed, or made of its inputs, gives the same tokens again. Upstream draws many times from one
// set of inputs and so refuses both as well. Solutions are given no seed: they keep a state between calls, as
// the reference does, or take one from a clock or the system.
//
// That is asked after the calls of the trials and, where more are made, after all: a sampler must not be
// right only when nobody looks at the clock. The evaluation fails when the smallest p-value, times the
// thirty-eight that there are, is below 1e-6: of a million right samplers at most one fails.
//
// Power: how many samples detect what in at least 19 of 20 evaluations, for random probabilities
// (tensor/random.h) of thousands of tokens and more (tests/eval/bench_sampling.cpp measures it):
//   greedy argmax                               40
//   one fixed u for every draw                 100
//   probabilities ignored, any token alike      40
//   temperature 1.5 / 1.2 / 1.1 instead of 1   200 / 600 / 4000
//   temperature 1.2 within a top-k of 50      4000
//   a half of each row read, anywhere or fixed 4000
//   top-k or top-p ignored: the first sample that falls outside, 1 / (mass cut off) on average
//
// Cost: 64 rows of 128256 float32 take 12 ms of CPU time without a filter, 32 with top-k, 48 with top-p (on
// one core of an x86-64 server), spread over the threads.
//
// calls_wanted() asks for kWantedSamples samples; where trials and warm-up have fewer, calls are made that
// are not timed, within the call budget. Below that only power is lost, the error stays.
//
// correctness: max_absolute_error is the larger of the two distances, max_relative_error 0; infinite where a
// sample is none. extra holds "samples", "p_value" (thirty-eight times the smallest, at most 1), "distance",
// and "distance_limit", the distance at which it would fail.
namespace fib::eval {

inline constexpr std::uint64_t kWantedSamples = 4000;
inline constexpr std::uint64_t kWantedRepetitions = 128;
inline constexpr std::size_t kMostSamples = 20000;
inline constexpr double kLeastPValue = 1e-6;

// By op_type, and whether the first output is of integers: definitions of op_type "sampling" that renormalise
// probabilities have outputs that can be compared.
[[nodiscard]] bool is_sampling(const model::Definition& definition);

// Throws Error when an input that the rule needs is missing or has another shape than [rows, V] and [rows]
// (or a scalar).
[[nodiscard]] std::unique_ptr<HostEvaluator> make_sampling_evaluator(const model::Definition& definition,
                                                                     const Layout& layout,
                                                                     std::string_view seed, unsigned threads);

}  // namespace fib::eval
