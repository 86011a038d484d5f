#include "dataset/speedup.h"

#include <cmath>

namespace fib::dataset {

namespace {

bool cannot_be_told_apart(const RangedSpeedup& higher, const RangedSpeedup& lower) {
  const bool wide = is_wide(higher.range, higher.speedup) || is_wide(lower.range, lower.speedup);
  const double low = higher.range ? higher.range->low : higher.speedup;
  const double high = lower.range ? lower.range->high : lower.speedup;
  return higher.speedup == lower.speedup || (wide && low <= high);
}

}  // namespace

bool is_wide(const std::optional<SpeedupRange>& range, double speedup) {
  return range && speedup > 0 && (range->high - range->low) / speedup > kWideSpeedup;
}

std::vector<std::optional<std::size_t>> ranks_of(const std::vector<RangedSpeedup>& speedups) {
  std::vector<std::optional<std::size_t>> ranks(speedups.size());
  std::size_t first = 0;  // of the present rank
  for (std::size_t i = 0; i < speedups.size(); ++i) {
    if (!cannot_be_told_apart(speedups[first], speedups[i])) first = i;
    if (speedups[i].has_rank) ranks[i] = first + 1;
  }
  return ranks;
}

void MeanSpeedup::add(double speedup, const std::optional<SpeedupRange>& range) {
  ++count_;
  ranges_ += range ? 1 : 0;
  const SpeedupRange ends = range.value_or(SpeedupRange{speedup, speedup});
  sum_ += speedup;
  log_sum_ += std::log(speedup);
  end_sums_.low += ends.low;
  end_sums_.high += ends.high;
  log_end_sums_.low += std::log(ends.low);
  log_end_sums_.high += std::log(ends.high);
}

std::optional<double> MeanSpeedup::mean() const {
  if (count_ == 0) return std::nullopt;
  return sum_ / static_cast<double>(count_);
}

std::optional<SpeedupRange> MeanSpeedup::range() const {
  if (ranges_ == 0) return std::nullopt;
  const auto count = static_cast<double>(count_);
  return SpeedupRange{end_sums_.low / count, end_sums_.high / count};
}

std::optional<double> MeanSpeedup::geometric_mean() const {
  if (count_ == 0) return std::nullopt;
  return std::exp(log_sum_ / static_cast<double>(count_));
}

std::optional<SpeedupRange> MeanSpeedup::geometric_range() const {
  if (ranges_ == 0) return std::nullopt;
  const auto count = static_cast<double>(count_);
  return SpeedupRange{std::exp(log_end_sums_.low / count), std::exp(log_end_sums_.high / count)};
}

}  // namespace fib::dataset
