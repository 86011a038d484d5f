#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// From values to places on an axis, and the ticks of an axis. All functions are pure.
namespace fib::chart {

enum class Spacing : std::uint8_t {
  linear,
  log,   // ticks at 1, 2 and 5 times powers of ten
  log2,  // ticks at powers of two: sizes
};

// What the numbers of an axis are, which decides how ticks and tooltips are written.
enum class Unit : std::uint8_t {
  number,        // "0.5", "2k", "10M", "1G"; on log2 axes "16384", "128Ki"
  milliseconds,  // "2 µs", "0.5 ms", "1 s"
  bytes,         // "2 kB", "1.5 GB": powers of ten
  ratio,         // "1.5x"
  share,         // 0 to 1: "50%"
};

// An interval of an axis: finite, low < high, both positive on log axes.
struct Range {
  double low = 0;
  double high = 1;
};

// Whether an axis can show `value`: finite, at most 1e280 away from zero, and on log axes at least 1e-280.
// Others are left out of charts and counted.
[[nodiscard]] bool can_show(double value, Spacing spacing);

// The interval of the values that can be shown, made wider where all are equal. None when there is no such
// value.
[[nodiscard]] std::optional<Range> range_of(const std::vector<double>& values, Spacing spacing);

// The range up to the next ticks on both sides: of about `most` ticks (at least 2) on linear axes, to 1, 2
// and 5 times powers of ten on log ones, to powers of two on log2 ones.
[[nodiscard]] Range nice_range(Range range, Spacing spacing, std::size_t most);

// A place on an axis that runs from pixel `from` (at domain.low) to pixel `to` (at domain.high).
struct Scale {
  Spacing spacing = Spacing::linear;
  Range domain;
  double from = 0;
  double to = 1;

  // Pixel of a value that can be shown; values beyond the domain are put at its ends.
  [[nodiscard]] double at(double value) const;
};

struct Tick {
  double value = 0;
  std::string label;  // empty: a line without a number, between those that have one
};

// The ticks within `range`, at most `most` (at least 2) with labels, in ascending order and never none.
[[nodiscard]] std::vector<Tick> ticks_of(Range range, Spacing spacing, Unit unit, std::size_t most);

}  // namespace fib::chart
