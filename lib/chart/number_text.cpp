#include "chart/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace fib::chart {
namespace {

// What is written behind a number that was divided by the factor.
struct Prefix {
  double factor = 1;
  std::string_view suffix;
};

// In ascending order.
std::vector<Prefix> prefixes(Spacing spacing, Unit unit) {
  switch (unit) {
    case Unit::milliseconds:
      return {{1e-6, " ns"}, {1e-3, " µs"}, {1, " ms"}, {1e3, " s"}};
    case Unit::bytes:
      return {{1, " B"}, {1e3, " kB"}, {1e6, " MB"}, {1e9, " GB"}, {1e12, " TB"}};
    case Unit::ratio:
      return {{1, "x"}};
    case Unit::share:
      return {{0.01, "%"}};
    case Unit::number:
      break;
  }
  if (spacing == Spacing::log2)
    return {{1, ""}, {0x1p10, "Ki"}, {0x1p20, "Mi"}, {0x1p30, "Gi"}, {0x1p40, "Ti"}};
  return {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}};
}

Prefix prefix_for(double value, Spacing spacing, Unit unit) {
  const auto all = prefixes(spacing, unit);
  Prefix best = all.front();
  for (const Prefix& prefix : all) {
    if (std::abs(value) >= prefix.factor * (1 - 1e-9)) best = prefix;
  }
  if (value == 0) best = unit == Unit::milliseconds ? all[2] : all.front();
  return best;
}

// With at most `digits` significant digits and without zeros at the end: "0.001", "2e+07".
std::string significant(double value, int digits) {
  std::string text = fmt::format("{:.{}g}", value, digits);
  // The shorter form of exponents: 2e7, 1e-5.
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return text.substr(0, e + 1) + std::to_string(std::atoi(text.c_str() + e + 1));
}

// How many decimals the values need to be told apart, at most nine.
int decimals_of(const std::vector<double>& values, double factor) {
  for (int decimals = 0; decimals < 9; ++decimals) {
    const double power = std::pow(10.0, decimals);
    const bool enough = std::all_of(values.begin(), values.end(), [&](double value) {
      const double scaled = value / factor * power;
      return std::abs(scaled - std::round(scaled)) <= 1e-6 * std::max(1.0, std::abs(scaled) * 1e-3);
    });
    if (enough) return decimals;
  }
  return 9;
}

std::vector<std::string> linear_labels(const std::vector<double>& values, Unit unit) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  Prefix prefix = prefix_for(largest, Spacing::linear, unit);
  if (unit == Unit::number && largest < 1e4) prefix = {};  // 200 and not 0.2k
  const double scaled = largest / prefix.factor;
  const int decimals = decimals_of(values, prefix.factor);
  std::vector<std::string> labels;
  for (const double value : values) {
    const double number = value / prefix.factor;
    const bool plain = scaled == 0 || (scaled < 1e6 && scaled > 1e-4 && decimals < 9);
    std::string text = plain ? fmt::format("{:.{}f}", number, decimals) : significant(number, 12);
    if (number == 0) text = "0";
    labels.push_back(text + std::string(value == 0 && unit != Unit::share ? "" : prefix.suffix));
  }
  return labels;
}

}  // namespace

std::string exact_text(double value) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string value_text(double value, Unit unit, int digits) {
  if (!std::isfinite(value)) return exact_text(value);
  Prefix prefix = prefix_for(value, Spacing::linear, unit);
  if (unit == Unit::number && std::abs(value) < 1e5) prefix = {};  // 16384 and not 16.4k
  const double number = value / prefix.factor;
  // Numbers before the point are not rounded away: 1234 ns and not 1.23e3.
  const int whole = number == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(number)))) + 1;
  return significant(number, whole > digits && whole < 7 ? whole : digits) + std::string(prefix.suffix);
}

std::vector<std::string> tick_labels(const std::vector<double>& values, Spacing spacing, Unit unit) {
  if (spacing == Spacing::linear) return linear_labels(values, unit);
  // Sizes up to 65536 are known by their digits; labels of one axis have one form.
  const bool has_digits =
      spacing == Spacing::log2 && unit == Unit::number &&
      std::all_of(values.begin(), values.end(), [](double value) { return std::abs(value) < 0x1p17; });
  std::vector<std::string> labels;
  for (const double value : values) {
    const Prefix prefix = has_digits ? Prefix{} : prefix_for(value, spacing, unit);
    labels.push_back(significant(value / prefix.factor, 6) + std::string(prefix.suffix));
  }
  return labels;
}

}  // namespace fib::chart
