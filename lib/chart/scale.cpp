#include "chart/scale.h"

#include <algorithm>
#include <cmath>

#include "chart/number_text.h"

namespace fib::chart {
namespace {

constexpr double kLargest = 1e280;

// A step of 1, 2 or 5 times a power of ten. Kept as integers, so that the multiples of 0.1 are the doubles
// that people expect: 3 / 10 and not 3 * 0.1.
struct Step {
  double digit = 1;
  int exponent = 0;

  [[nodiscard]] double times(double count) const {
    const double power = std::pow(10.0, std::abs(exponent));
    return exponent < 0 ? count * digit / power : count * digit * power;
  }
};

// The smallest step with which `span` holds at most `most` steps.
Step step_for(double span, std::size_t most) {
  const double raw = span / static_cast<double>(most);
  Step step{1, static_cast<int>(std::floor(std::log10(raw)))};
  for (const double digit : {1.0, 2.0, 5.0, 10.0}) {
    step.digit = digit;
    if (step.times(1) >= raw * (1 - 1e-9)) break;
  }
  return step;
}

// Which multiple of the step a value is, up to rounding errors.
double first_multiple(double value, const Step& step) { return std::ceil(value / step.times(1) - 1e-9); }
double last_multiple(double value, const Step& step) { return std::floor(value / step.times(1) + 1e-9); }

std::vector<double> linear_ticks(Range range, std::size_t most) {
  std::vector<double> values;
  const Step step = step_for(range.high - range.low, most - 1);
  const double first = first_multiple(range.low, step);
  const double count = last_multiple(range.high, step) - first + 1;
  for (int i = 0; i < static_cast<int>(std::min(count, 1000.0)); ++i) {
    values.push_back(step.times(first + i) + 0.0);  // + 0.0: no -0
  }
  return values;
}

double power_of_ten(int exponent) {
  return exponent < 0 ? 1 / std::pow(10.0, -exponent) : std::pow(10.0, exponent);
}

// Every digit of every decade within the range.
std::vector<double> decade_values(Range range, const std::vector<double>& digits) {
  std::vector<double> values;
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  for (int exponent = static_cast<int>(std::floor(std::log10(range.low))); exponent <= last; ++exponent) {
    for (const double digit : digits) {
      const double value = Step{digit, exponent}.times(1);
      if (value >= range.low * (1 - 1e-9) && value <= range.high * (1 + 1e-9)) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> powers(double base, int first, int last, int stride) {
  std::vector<double> values;
  // Multiples of the stride, so that 1 is among them where it is within.
  for (int i = first; i <= last; ++i) {
    if (i % stride == 0) values.push_back(base == 2 ? std::exp2(i) : power_of_ten(i));
  }
  return values;
}

// Powers of the base, as many as may be.
std::vector<double> power_ticks(Range range, double base, std::size_t most) {
  const double unit = std::log2(base);
  const int first = static_cast<int>(std::ceil(std::log2(range.low) / unit - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(range.high) / unit + 1e-9));
  for (int stride = 1; stride <= last - first + 1; ++stride) {
    auto values = powers(base, first, last, stride);
    if (values.size() <= most) return values;
  }
  return {};
}

std::vector<double> log_ticks(Range range, std::size_t most) {
  if (std::log10(range.high / range.low) < 300) {
    for (const auto& digits : {std::vector<double>{1, 2, 5}, std::vector<double>{1, 3}}) {
      auto values = decade_values(range, digits);
      if (values.size() <= most && values.size() > 2) return values;
    }
  }
  return power_ticks(range, 10, most);
}

std::vector<double> labelled(Range range, Spacing spacing, std::size_t most) {
  std::vector<double> values;
  if (spacing == Spacing::log) values = log_ticks(range, most);
  if (spacing == Spacing::log2) values = power_ticks(range, 2, most);
  // Within one decade or one power of two there are round numbers too. A short range may lie between two
  // multiples of a wide step.
  for (std::size_t more = 0; values.size() < 2 && more < 4; ++more) values = linear_ticks(range, most + more);
  return values.empty() ? std::vector<double>{range.low} : values;
}

// Lines between those with numbers, where there is one number a decade.
std::vector<double> unlabelled(Range range, Spacing spacing, const std::vector<double>& values) {
  if (spacing != Spacing::log || values.size() < 2 || std::abs(values[1] / values[0] - 10) > 1e-6) return {};
  return decade_values(range, {2, 3, 4, 5, 6, 7, 8, 9});
}

}  // namespace

bool can_show(double value, Spacing spacing) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return spacing == Spacing::linear || value >= 1 / kLargest;
}

std::optional<Range> range_of(const std::vector<double>& values, Spacing spacing) {
  std::optional<Range> range;
  for (const double value : values) {
    if (!can_show(value, spacing)) continue;
    if (!range) range = Range{value, value};
    range->low = std::min(range->low, value);
    range->high = std::max(range->high, value);
  }
  if (!range) return range;
  const double size = std::max(std::abs(range->low), std::abs(range->high));
  if (range->high - range->low > std::max(1e-9 * size, 1 / kLargest)) return range;
  if (spacing != Spacing::linear) return Range{range->low / 2, range->high * 2};
  if (size <= 1 / kLargest) return Range{0, 1};
  return Range{range->low - size / 2, range->high + size / 2};
}

namespace {

Range rounded_range(Range range, Spacing spacing, std::size_t most) {
  if (spacing == Spacing::log2) {
    return {std::exp2(std::floor(std::log2(range.low) + 1e-9)),
            std::exp2(std::ceil(std::log2(range.high) - 1e-9))};
  }
  if (spacing == Spacing::log) {
    const Range wide{range.low / 10, range.high * 10};
    const auto stops = decade_values(wide, {1, 2, 5});
    const auto low =
        std::find_if(stops.rbegin(), stops.rend(), [&](double v) { return v <= range.low * (1 + 1e-9); });
    const auto high =
        std::find_if(stops.begin(), stops.end(), [&](double v) { return v >= range.high * (1 - 1e-9); });
    return {low == stops.rend() ? range.low : *low, high == stops.end() ? range.high : *high};
  }
  const Step step = step_for(range.high - range.low, most - 1);
  return {step.times(std::floor(range.low / step.times(1) + 1e-9)),
          step.times(std::ceil(range.high / step.times(1) - 1e-9))};
}

}  // namespace

// Ends that are nearly equal may be rounded to one.
Range nice_range(Range range, Spacing spacing, std::size_t most) {
  const Range nice = rounded_range(range, spacing, most);
  if (nice.low < nice.high) return nice;
  if (spacing != Spacing::linear) return {nice.low / 2, nice.high * 2};
  const double half = nice.low == 0 ? 1 : std::abs(nice.low) / 2;
  return {nice.low - half, nice.high + half};
}

double Scale::at(double value) const {
  value = std::clamp(value, domain.low, domain.high);
  if (spacing != Spacing::linear) {
    const double low = std::log2(domain.low);
    return from + (to - from) * ((std::log2(value) - low) / (std::log2(domain.high) - low));
  }
  return from + (to - from) * ((value - domain.low) / (domain.high - domain.low));
}

std::vector<Tick> ticks_of(Range range, Spacing spacing, Unit unit, std::size_t most) {
  const auto values = labelled(range, spacing, std::max<std::size_t>(most, 2));
  const auto labels = tick_labels(values, spacing, unit);
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < values.size(); ++i) ticks.push_back({values[i], labels[i]});
  for (const double value : unlabelled(range, spacing, values)) ticks.push_back({value, ""});
  std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  return ticks;
}

}  // namespace fib::chart
