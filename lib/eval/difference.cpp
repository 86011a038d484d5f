#include "eval/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>

#include "eval/agreement_steps.h"
#include "eval/compare.h"
#include "tensor/convert.h"
#include "tensor/parallel.h"

namespace fib::eval {
namespace {

using tensor::DType;

// The rule of scripts/compare-engines, which holds the native engine against torch.
constexpr double kMostUlps = 2;
constexpr double kMostRelative = 1e-3;
constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

enum class Class : std::uint8_t { kFinite, kInfinity, kMinusInfinity, kNan };

Class class_of(double value) {
  if (std::isnan(value)) return Class::kNan;
  if (std::isinf(value)) return value > 0 ? Class::kInfinity : Class::kMinusInfinity;
  return Class::kFinite;
}

// One output, row by row. Each range of rows has one of its own.
class Rows {
 public:
  Rows(DType dtype, Agreement rule, const std::byte* got, const std::byte* expected, std::size_t length)
      : dtype_(dtype), rule_(rule), got_(got), expected_(expected), length_(length) {
    found.first = kNone;
  }

  void compare(std::size_t row) {
    const std::size_t begin = row * length_;
    if (is_same(begin)) return;
    if (rule_ == Agreement::kRanks) return compare_ranks(begin);
    read(begin);
    const double floor = rule_ == Agreement::kClose ? root_mean_square() : 0;
    for (std::size_t i = 0; i < length_; ++i) {
      if (tensor::is_floating(dtype_)) {
        compare_floats(begin + i, x_[i], y_[i], floor);
      } else {
        compare_integers(begin + i, x_[i], y_[i]);
      }
    }
  }

  OutputDifference found;

 private:
  // Bit for bit; elements of half a byte are looked at one by one.
  [[nodiscard]] bool is_same(std::size_t begin) const {
    if (tensor::bits_of(dtype_) < 8) return false;
    const std::size_t at = tensor::bytes_of(dtype_, begin);
    return std::equal(got_ + at, got_ + at + tensor::bytes_of(dtype_, length_), expected_ + at);
  }

  void read(std::size_t begin) {
    // A row of an odd number of half bytes begins or ends in the middle of one.
    const std::size_t skip = tensor::bits_of(dtype_) < 8 ? begin % 2 : 0;
    x_.resize(length_ + skip);
    y_.resize(length_ + skip);
    const std::size_t at = (begin - skip) * tensor::bits_of(dtype_) / 8;
    tensor::to_double(dtype_, got_ + at, x_.data(), length_ + skip);
    tensor::to_double(dtype_, expected_ + at, y_.data(), length_ + skip);
    if (skip == 0) return;
    x_.erase(x_.begin());
    y_.erase(y_.begin());
  }

  // Of the expected finite values; others count as 0.
  [[nodiscard]] double root_mean_square() const {
    double sum = 0;
    for (std::size_t i = 0; i < length_; ++i) sum += std::isfinite(y_[i]) ? y_[i] * y_[i] : 0;
    return std::sqrt(sum / static_cast<double>(length_));
  }

  void compare_floats(std::size_t index, double x, double y, double floor) {
    const Class kind = class_of(y);
    if (class_of(x) != kind) {
      ++found.other_class;
      return differs(index);
    }
    if (kind != Class::kFinite) return;
    const double size = std::max(std::abs(y), floor);
    const double absolute = std::abs(x - y);
    const double relative = absolute == 0 ? 0 : absolute / size;
    auto ulps = static_cast<double>(
        steps_between(dtype_, element_bits(dtype_, got_, index), element_bits(dtype_, expected_, index)));
    if (rule_ == Agreement::kClose) ulps = std::min(ulps, absolute / step_at(dtype_, size));
    found.ulps = std::max(found.ulps, ulps);
    found.relative = std::max(found.relative, relative);
    found.absolute = std::max(found.absolute, absolute);
    if (ulps > kMostUlps && (rule_ == Agreement::kExact || relative > kMostRelative)) differs(index);
  }

  void compare_integers(std::size_t index, double x, double y) {
    if (element_bits(dtype_, got_, index) == element_bits(dtype_, expected_, index)) return;
    const double absolute = std::abs(x - y);
    found.absolute = std::max(found.absolute, absolute);
    found.relative = std::max(found.relative, absolute / std::max(std::abs(y), 1.0));
    differs(index);
  }

  void compare_ranks(std::size_t begin) {
    read(begin);
    std::vector<double> wanted = y_;
    std::vector<double> got = x_;
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
    std::vector<double> extra;
    std::set_difference(got.begin(), got.end(), wanted.begin(), wanted.end(), std::back_inserter(extra));
    if (extra.empty()) return;
    const auto place = std::find(x_.begin(), x_.end(), extra.front()) - x_.begin();
    differs(begin + static_cast<std::size_t>(place));
    found.differing += extra.size() - 1;
  }

  void differs(std::size_t index) {
    ++found.differing;
    found.first = std::min<std::uint64_t>(found.first, index);
  }

  DType dtype_;
  Agreement rule_;
  const std::byte* got_;
  const std::byte* expected_;
  std::size_t length_;
  std::vector<double> x_;  // the current row
  std::vector<double> y_;
};

void add(OutputDifference& total, const OutputDifference& part) {
  total.differing += part.differing;
  total.other_class += part.other_class;
  total.ulps = std::max(total.ulps, part.ulps);
  total.relative = std::max(total.relative, part.relative);
  total.absolute = std::max(total.absolute, part.absolute);
  total.first = std::min(total.first, part.first);
}

}  // namespace

OutputDifference difference(const Slot& output, Agreement rule, const std::byte* got,
                            const std::byte* expected, unsigned threads) {
  OutputDifference result;
  result.rule = rule;
  result.count = output.count();
  if (rule == Agreement::kDraws || result.count == 0) return result;
  const std::size_t length = output.shape.empty() ? 1 : static_cast<std::size_t>(output.shape.back());
  const std::size_t rows = result.count / length;
  result.first = kNone;
  std::mutex mutex;
  tensor::parallel_for(rows, std::max<std::size_t>(1, 65536 / length), threads,
                       [&](std::size_t begin, std::size_t end) {
                         Rows range(output.dtype, rule, got, expected, length);
                         for (std::size_t row = begin; row < end; ++row) range.compare(row);
                         const std::scoped_lock lock(mutex);
                         add(result, range.found);
                       });
  if (result.first == kNone) {
    result.first = 0;
    return result;
  }
  result.got_text = element_text(output.dtype, element_bits(output.dtype, got, result.first));
  result.expected_text = element_text(output.dtype, element_bits(output.dtype, expected, result.first));
  return result;
}

OutputDifference worst_of(OutputDifference first, const OutputDifference& second) {
  OutputDifference result = first.agrees() ? second : first;
  result.ulps = std::max(first.ulps, second.ulps);
  result.relative = std::max(first.relative, second.relative);
  result.absolute = std::max(first.absolute, second.absolute);
  return result;
}

std::string element_name(const std::string& output, const std::vector<std::int64_t>& shape,
                         std::uint64_t flat) {
  if (shape.empty()) return output;
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(1, shape[d]));
    index[d] = flat % size;
    flat /= size;
  }
  return fmt::format("{}[{}]", output, fmt::join(index, ", "));
}

}  // namespace fib::eval
