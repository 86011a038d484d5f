#pragma once

#include <array>

namespace fib::eval {

// A test of whether, at any time, draws repeat earlier draws more often than chance has it. A plain value.
//
// Let y be drawn from p, independently of an earlier token x. Then w = [y = x] / p(y) has an expectation of
// at most 1, whatever x and p are: it is the sum over y of p(y) [y = x] / p(y). So a gambler who stakes a
// share s of what he has on each draw, and is paid w for it, wins nothing on average; what he has, starting
// from 1, ever reaches 1 / q with a probability of at most q (Ville's inequality). That holds for the average
// of many gamblers too: here some stake more, some less, and with the n-th draw those begin who own 1 / (n (n
// + 1)) of all the money, so that repetitions after many honest draws show as well.
//
// Where tokens have a thousandth of the mass, three repetitions at the start are enough for a p-value of
// 1e-6, where they have half of it, 50 after 1000 other draws.
class Repetition {
 public:
  // One draw; `share` is its p, which may be too small by a hundredth, or 0 where it is not known.
  void add(bool repeated, double share);

  // An upper bound of how likely a right sampler repeats itself as much; 1 without any draws.
  [[nodiscard]] double p_value() const;

 private:
  static constexpr std::array<double, 5> kStakes = {0.9, 0.5, 0.1, 0.01, 0.001};
  std::array<double, kStakes.size()> owned_{};  // by those who have begun, by what they stake
  double draws_ = 0;
  double most_ = 1;  // that all together ever had
};

}  // namespace fib::eval
