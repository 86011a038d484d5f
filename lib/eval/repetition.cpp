#include "eval/repetition.h"

#include <algorithm>

namespace fib::eval {
namespace {

// Shares are of what the judge's sums keep, and may be a hundredth too small (sampling_row.h).
constexpr double kCaution = 0.98;

}  // namespace

void Repetition::add(bool repeated, double share) {
  draws_ += 1;
  const double paid = repeated && share > 0 ? kCaution / share : 0;
  double sum = 0;
  for (std::size_t i = 0; i < kStakes.size(); ++i) {
    owned_[i] = (owned_[i] + 1 / (draws_ * (draws_ + 1))) * (1 + kStakes[i] * (paid - 1));
    sum += owned_[i];
  }
  const double waiting = 1 / (draws_ + 1);
  most_ = std::max(most_, sum / static_cast<double>(kStakes.size()) + waiting);
}

double Repetition::p_value() const { return std::min(1.0, 1 / most_); }

}  // namespace fib::eval
