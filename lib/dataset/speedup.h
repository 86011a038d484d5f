#pragma once

#include <cstddef>
#include <optional>
#include <vector>

// Speedups against the reference, and how far they can be trusted.
namespace fib::dataset {

// Between which values a speedup lies when the reference took its lowest or its highest time in the run
// (ReferenceTime). How well the solution's own latency is known is not in it: intervals tell that.
struct SpeedupRange {
  double low = 0;
  double high = 0;
};

// The share of a speedup above which its range says more than the number alone.
inline constexpr double kWideSpeedup = 0.1;

// Whether (high - low) / speedup is above kWideSpeedup. Not of no range, and not of a speedup of 0.
[[nodiscard]] bool is_wide(const std::optional<SpeedupRange>& range, double speedup);

struct RangedSpeedup {
  double speedup = 0;
  std::optional<SpeedupRange> range;
  bool has_rank = true;  // false: of who has passed nothing
};

// The ranks, from 1, of speedups that stand in descending order. One whose range overlaps with that of the
// first of a rank shares it where one of the two is wide (times of the reference that vary rank nobody), and
// so does an equal one. One without a rank keeps its place.
[[nodiscard]] std::vector<std::optional<std::size_t>> ranks_of(const std::vector<RangedSpeedup>& speedups);

// The mean of speedups over workloads, or over definitions. One thread at a time.
class MeanSpeedup {
 public:
  // `range`: nothing: it is not known, and the speedup itself stands for both its ends.
  void add(double speedup, const std::optional<SpeedupRange>& range);

  [[nodiscard]] std::size_t count() const { return count_; }
  // Nothing when nothing was added.
  [[nodiscard]] std::optional<double> mean() const;
  // The mean of the low ends and that of the high ones; nothing when no range is known.
  [[nodiscard]] std::optional<SpeedupRange> range() const;
  // The same by geometric means; of a speedup of 0 they are 0.
  [[nodiscard]] std::optional<double> geometric_mean() const;
  [[nodiscard]] std::optional<SpeedupRange> geometric_range() const;

 private:
  std::size_t count_ = 0;
  std::size_t ranges_ = 0;
  double sum_ = 0;
  double log_sum_ = 0;
  SpeedupRange end_sums_;
  SpeedupRange log_end_sums_;
};

}  // namespace fib::dataset
