#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "chart/scale.h"

using namespace fib::chart;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<std::string> labels(Range range, Spacing spacing, Unit unit = Unit::number,
                                std::size_t most = 8) {
  std::vector<std::string> found;
  for (const Tick& tick : ticks_of(range, spacing, unit, most)) {
    if (!tick.label.empty()) found.push_back(tick.label);
  }
  return found;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("an axis has two ends, also where its values are nearly equal") {
  for (const Spacing spacing : {Spacing::linear, Spacing::log, Spacing::log2}) {
    for (const double middle : {1.0, 2.0, 0.5, 1000.0}) {
      const Range nice = nice_range({middle * (1 - 1e-10), middle * (1 + 1e-10)}, spacing, 6);
      CHECK(nice.low < nice.high);
      CHECK(nice.low <= middle);
      CHECK(nice.high >= middle);
    }
  }
}

TEST_CASE("what an axis cannot show") {
  for (const double value : {kNan, kInf, -kInf, 1e300, -1e300}) {
    CHECK_FALSE(can_show(value, Spacing::linear));
    CHECK_FALSE(can_show(value, Spacing::log));
  }
  CHECK(can_show(0, Spacing::linear));
  CHECK(can_show(-5, Spacing::linear));
  CHECK_FALSE(can_show(0, Spacing::log));
  CHECK_FALSE(can_show(-5, Spacing::log2));
  CHECK_FALSE(can_show(1e-300, Spacing::log));
  CHECK(can_show(1e-200, Spacing::log));
}

TEST_CASE("a range is that of the values that can be shown") {
  const auto range = range_of({kNan, 3, -2, kInf, 7}, Spacing::linear);
  CHECK(range->low == -2);
  CHECK(range->high == 7);
  const auto log = range_of({0, -1, 2, 8}, Spacing::log);
  CHECK(log->low == 2);
  CHECK(log->high == 8);
  CHECK_FALSE(range_of({}, Spacing::linear));
  CHECK_FALSE(range_of({0, -1, kNan}, Spacing::log));
}

TEST_CASE("equal values have a range around them") {
  for (const Spacing spacing : {Spacing::linear, Spacing::log, Spacing::log2}) {
    for (const double value : {5.0, 1e-250, 1e250, 0.3}) {
      const auto range = range_of({value, value}, spacing);
      CHECK(range->low < value);
      CHECK(range->high > value);
      CHECK(std::isfinite(range->high));
    }
  }
  CHECK(range_of({0}, Spacing::linear)->high == 1);
  const auto negative = range_of({-4}, Spacing::linear);
  CHECK(negative->low == -6);
  CHECK(negative->high == -2);
  // Nearly equal ones have no ticks between them that a double could tell apart.
  const auto near = range_of({1e9, 1e9 + 1e-6}, Spacing::linear);
  CHECK(near->high - near->low > 1e8);
}

TEST_CASE("round ends") {
  const auto check = [](Range range, Spacing spacing, double low, double high) {
    const Range nice = nice_range(range, spacing, 6);
    CHECK(nice.low == Approx(low).epsilon(1e-12));
    CHECK(nice.high == Approx(high).epsilon(1e-12));
  };
  check({0, 97}, Spacing::linear, 0, 100);
  check({0.013, 0.087}, Spacing::linear, 0, 0.1);
  check({-3, 11}, Spacing::linear, -5, 15);
  check({0.0023, 18}, Spacing::log, 0.002, 20);
  check({0.002, 20}, Spacing::log, 0.002, 20);
  check({3, 9000}, Spacing::log2, 2, 16384);
  check({4, 16}, Spacing::log2, 4, 16);
}

TEST_CASE("linear ticks are multiples of 1, 2 or 5 times powers of ten") {
  CHECK(labels({0, 100}, Spacing::linear) == Labels{"0", "20", "40", "60", "80", "100"});
  CHECK(labels({0, 1}, Spacing::linear, Unit::number, 12) ==
        Labels{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"});
  CHECK(labels({-1, 1}, Spacing::linear, Unit::number, 5) == Labels{"-1.0", "-0.5", "0", "0.5", "1.0"});
  CHECK(labels({0, 3e6}, Spacing::linear, Unit::number, 4) == Labels{"0", "1M", "2M", "3M"});
  // No rounding errors in the values themselves.
  CHECK(ticks_of({0, 1}, Spacing::linear, Unit::number, 12)[3].value == 0.3);
}

TEST_CASE("log ticks") {
  CHECK(labels({1, 100}, Spacing::log) == Labels{"1", "2", "5", "10", "20", "50", "100"});
  CHECK(labels({1, 1e5}, Spacing::log) == Labels{"1", "10", "100", "1k", "10k", "100k"});
  CHECK(labels({0.002, 20}, Spacing::log, Unit::milliseconds, 5) ==
        Labels{"10 µs", "100 µs", "1 ms", "10 ms"});
  CHECK(labels({1e-12, 1e12}, Spacing::log).size() <= 8);
  CHECK(labels({1e-12, 1e12}, Spacing::log).size() >= 3);
  CHECK(labels({1e-279, 1e279}, Spacing::log).size() >= 3);
  // Within a decade: round numbers.
  CHECK(labels({3.1, 4.2}, Spacing::log, Unit::number, 4) == Labels{"3.5", "4"});
}

TEST_CASE("between decades there are lines without numbers") {
  std::size_t unlabelled = 0;
  for (const Tick& tick : ticks_of({1, 1e5}, Spacing::log, Unit::number, 8))
    unlabelled += tick.label.empty() ? 1 : 0;
  CHECK(unlabelled == 5 * 8);
}

TEST_CASE("sizes have ticks at powers of two") {
  CHECK(labels({1, 16384}, Spacing::log2, Unit::number, 8) ==
        Labels{"1", "4", "16", "64", "256", "1024", "4096", "16384"});
  CHECK(labels({65536, 0x1p20}, Spacing::log2) == Labels{"64Ki", "128Ki", "256Ki", "512Ki", "1Mi"});
  CHECK(labels({0x1p26, 0x1p27}, Spacing::log2) == Labels{"64Mi", "128Mi"});
}

TEST_CASE("there is always a tick and never more labels than asked for, in whatever range") {
  for (const Spacing spacing : {Spacing::linear, Spacing::log, Spacing::log2}) {
    for (const double low : {1e-279, 1e-9, 0.3, 1.0, 7.7, 1234.5, 1e15, 1e278}) {
      for (const double factor : {1.000001, 1.1, 1.9, 2.0, 3.0, 9.99, 10.0, 50.0, 1e5, 1e20}) {
        const double high = low * factor;
        if (!can_show(high, spacing)) continue;
        for (const std::size_t most : {2U, 3U, 7U, 12U}) {
          const auto ticks = ticks_of({low, high}, spacing, Unit::number, most);
          INFO(low << " " << high << " " << most);
          REQUIRE_FALSE(ticks.empty());
          std::size_t labelled = 0;
          for (std::size_t i = 0; i < ticks.size(); ++i) {
            CHECK(ticks[i].value >= low - 1e-8 * (spacing == Spacing::linear ? high : low));
            CHECK(ticks[i].value <= high * (1 + 1e-8));
            if (i > 0) CHECK(ticks[i].value > ticks[i - 1].value);
            labelled += ticks[i].label.empty() ? 0 : 1;
          }
          CHECK(labelled >= 1);
          CHECK(labelled <= most + 3);
        }
      }
    }
  }
}

TEST_CASE("a scale puts values between its pixels") {
  const Scale linear{Spacing::linear, {0, 10}, 100, 200};
  CHECK(linear.at(0) == 100);
  CHECK(linear.at(5) == 150);
  CHECK(linear.at(20) == 200);
  CHECK(linear.at(-20) == 100);
  const Scale log{Spacing::log, {1, 10000}, 400, 0};
  CHECK(log.at(100) == Approx(200));
  CHECK(log.at(1) == 400);
  CHECK(log.at(10000) == 0);
}
