#include "eval/sampling_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "tensor/vector_clones.h"

namespace fib::eval {
namespace {

// How far float32 sums of the tokens before top-p's border may be off, relatively: the unit roundoff for each
// token that is added one by one, and something for renormalising; never more than kWidestBorder.
constexpr double kRoundoff = 0x1p-24;
constexpr double kNarrowestBorder = 1e-5;
constexpr double kWidestBorder = 2e-3;
// Rows of which more than this is open at the border say nothing about the distribution.
constexpr double kMostOpen = 0.01;

// Positive floats are ordered as their bits are; buckets share sign, exponent and five bits of the mantissa.
constexpr unsigned kBucketShift = 18;
constexpr std::size_t kBuckets = (0x7f800000U >> kBucketShift) + 1;
constexpr std::size_t kLanes = 8;

std::size_t bucket_of(float value) { return std::bit_cast<std::uint32_t>(value) >> kBucketShift; }

// The most probable tokens down to a value, ties whole.
struct Cut {
  float value = 0;  // of the least probable ones
  double mass = 0;
  std::uint64_t count = 0;
  std::uint64_t last_count = 0;  // how many have just this value
};

// The tokens of a row by falling probability, as far as they are asked for.
class Ranking {
 public:
  explicit Ranking(std::span<const float> row) : row_(row) {
    for (const float value : row) {
      if (!(value > 0)) continue;
      Bucket& bucket = buckets_[bucket_of(value)];
      bucket.mass += static_cast<double>(value);
      ++bucket.count;
    }
  }

  // Takes tokens while fewer than `count` have been taken and these have at most the mass `mass`.
  Cut cut(std::uint64_t count, double mass) {
    Cut taken;
    for (std::size_t i = kBuckets; i-- > 0;) {
      const Bucket& bucket = buckets_[i];
      if (bucket.count == 0) continue;
      const bool all = taken.count + bucket.count < count && taken.mass + bucket.mass <= mass;
      if (!all) return cut_bucket(taken, sorted(i), count, mass);
      taken.mass += bucket.mass;
      taken.count += bucket.count;
    }
    taken.value = std::numeric_limits<float>::denorm_min();
    return taken;
  }

 private:
  struct Bucket {
    double mass = 0;
    std::uint64_t count = 0;
  };

  static Cut cut_bucket(Cut taken, const std::vector<float>& values, std::uint64_t count, double mass) {
    for (std::size_t i = 0; i < values.size() && taken.count < count && taken.mass <= mass;) {
      const float value = values[i];
      const auto end = std::upper_bound(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), value,
                                        std::greater<>());
      const auto ties = static_cast<std::uint64_t>(end - values.begin()) - i;
      taken.value = value;
      taken.mass += static_cast<double>(value) * static_cast<double>(ties);
      taken.count += ties;
      taken.last_count = ties;
      i += ties;
    }
    return taken;
  }

  const std::vector<float>& sorted(std::size_t bucket) {
    auto& values = sorted_[bucket];
    if (!values.empty()) return values;
    values.reserve(buckets_[bucket].count);
    for (const float value : row_) {
      if (value > 0 && bucket_of(value) == bucket) values.push_back(value);
    }
    std::sort(values.begin(), values.end(), std::greater<>());
    return values;
  }

  std::span<const float> row_;
  std::array<Bucket, kBuckets> buckets_{};
  std::map<std::size_t, std::vector<float>> sorted_;  // of the buckets that borders lie in
};

// What is kept for certain, what is kept by exact arithmetic, and what may be kept.
struct Borders {
  float kept = 0;
  float outermost = 0;
  double open = 0;  // mass between the first and the last
};

double mass_of_ties(const Cut& cut, std::uint64_t ties) {
  return static_cast<double>(cut.value) * static_cast<double>(ties);
}

Borders find_borders(std::span<const float> row, std::optional<std::uint64_t> top_k,
                     std::optional<double> top_p) {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  const std::uint64_t count = top_k.value_or(std::numeric_limits<std::uint64_t>::max());
  Ranking ranking(row);
  const Cut by_k = ranking.cut(count, kAll);
  const double tied = top_k && by_k.count > count ? mass_of_ties(by_k, by_k.count - count) : 0;
  if (!top_p) return {by_k.value, by_k.value, tied};
  const double limit = std::max(0.0, *top_p) * by_k.mass;
  const Cut exact = ranking.cut(count, limit);
  const double border =
      std::min(kWidestBorder, kNarrowestBorder + kRoundoff * static_cast<double>(exact.count));
  const Cut most = ranking.cut(count, limit * (1 + border));
  const Cut least = ranking.cut(count, limit * (1 - border));
  const double certain = least.mass - mass_of_ties(least, std::max<std::uint64_t>(least.last_count, 1) - 1);
  return {exact.value, most.value, std::max(tied, most.mass - certain)};
}

double positive(float value) { return value > 0 ? static_cast<double>(value) : 0; }

// Sums over the tokens of at least the value `kept`.
struct Sums {
  double all = 0;  // every token, kept or not
  double kept = 0;
  double above = 0;   // more probable ones
  double before = 0;  // of smaller index
  double rank = 0;    // whole numbers
  double count = 0;
  float largest = 0;  // of all
};

// Sums what `term` makes of each value, in lanes, which vectorise: in one order whatever the machine.
template <typename Term>
[[gnu::always_inline]] inline double sum_terms(const float* values, std::size_t count, const Term& term) {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<double>(term(values[i + lane]));
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (; i < count; ++i) sum += static_cast<double>(term(values[i]));
  return sum;
}

// `least` where none is larger.
[[gnu::always_inline]] inline float largest_of(const float* values, std::size_t count, float least) {
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, least);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = values[i + lane] > lanes[lane] ? values[i + lane] : lanes[lane];
  }
  for (; i < count; ++i) lanes[0] = values[i] > lanes[0] ? values[i] : lanes[0];
  return *std::max_element(lanes, lanes + kLanes);
}

// One block, which stays in the first level cache. NaN compares as false.
FIB_VECTOR_CLONES void sum_block(const float* values, std::size_t size, float kept, float token, Sums& sums) {
  sums.all += sum_terms(values, size, [](float v) { return v > 0 ? v : 0.0F; });
  sums.kept += sum_terms(values, size, [=](float v) { return v >= kept ? v : 0.0F; });
  sums.above += sum_terms(values, size, [=](float v) { return (v >= kept) & (v > token) ? v : 0.0F; });
  sums.rank += sum_terms(values, size, [=](float v) { return v > token ? 1.0F : 0.0F; });
  sums.count += sum_terms(values, size, [=](float v) { return v >= kept ? 1.0F : 0.0F; });
  sums.largest = largest_of(values, size, sums.largest);
}

void sum_range(std::span<const float> row, float kept, float token, Sums& sums) {
  constexpr std::size_t kBlock = 4096;
  for (std::size_t i = 0; i < row.size(); i += kBlock)
    sum_block(row.data() + i, std::min(kBlock, row.size() - i), kept, token, sums);
}

double ties_before(std::span<const float> row, std::size_t token) {
  const auto ties = std::count(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(token), row[token]);
  return static_cast<double>(ties) * positive(row[token]);
}

std::optional<std::uint64_t> effective_top_k(const RowFilter& filter, std::size_t tokens) {
  if (!filter.top_k || *filter.top_k <= 0 || static_cast<std::uint64_t>(*filter.top_k) >= tokens) return {};
  return static_cast<std::uint64_t>(*filter.top_k);
}

std::optional<double> effective_top_p(const RowFilter& filter) {
  return filter.top_p && *filter.top_p < 1 ? filter.top_p : std::nullopt;
}

}  // namespace

RowDraw look_up(std::span<const float> row, const RowFilter& filter, std::size_t token) {
  const auto top_k = effective_top_k(filter, row.size());
  const auto top_p = effective_top_p(filter);
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  Borders borders{kLeast, kLeast, 0};
  if (top_k || top_p) borders = find_borders(row, top_k, top_p);
  const float value = row[token];
  Sums sums;
  sum_range(row.first(token), borders.kept, value, sums);
  sums.before = sums.kept;
  sum_range(row.subspan(token), borders.kept, value, sums);
  RowDraw draw;
  draw.token = token;
  draw.rank = static_cast<std::uint64_t>(sums.rank);
  draw.kept = static_cast<std::uint64_t>(sums.count);
  draw.probability = positive(value) / sums.all;
  const bool meaningful = sums.kept > 0 && std::isfinite(sums.all);
  draw.inside = !meaningful || value >= borders.outermost;
  draw.usable = meaningful && borders.open <= kMostOpen * sums.kept;
  if (!meaningful) return draw;
  draw.largest_share = static_cast<double>(sums.largest) / sums.kept;
  const bool kept = value >= borders.kept;
  draw.share = kept ? positive(value) / sums.kept : 0;
  draw.below_by_rank = (sums.above + (kept ? ties_before(row, token) : 0)) / sums.kept;
  draw.below_by_index = sums.before / sums.kept;
  return draw;
}

}  // namespace fib::eval
