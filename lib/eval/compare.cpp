#include "eval/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "eval/compare_blocks.h"
#include "tensor/convert.h"
#include "tensor/parallel.h"

namespace fib::eval {
namespace {

using tensor::DType;

// Integers and the smallest floats have no bits that an output cannot have, so a single one that equals the
// poison may have been written. Eight bytes of poison in a row were not.
constexpr std::size_t kStretchBytes = 8;

bool poison_is_impossible(DType dtype) {
  return dtype == DType::kBool || (tensor::is_floating(dtype) && tensor::bits_of(dtype) >= 16);
}

// One output and what it should be.
struct Pair {
  DType dtype;
  const std::byte* got;
  const std::byte* expected;
  std::size_t count;
  const std::byte* poison;  // one element
};

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// What one range of blocks found; ranges are added up in any order.
struct Totals {
  std::size_t bad = 0;
  std::size_t unwritten = 0;
  double absolute_error = 0;
  double relative_error = 0;
  bool nan_disagrees = false;
  bool infinity_disagrees = false;
  std::size_t first_bad = kNone;
  std::size_t first_unwritten = kNone;

  void add(const Totals& other) {
    bad += other.bad;
    unwritten += other.unwritten;
    absolute_error = std::max(absolute_error, other.absolute_error);
    relative_error = std::max(relative_error, other.relative_error);
    nan_disagrees |= other.nan_disagrees;
    infinity_disagrees |= other.infinity_disagrees;
    first_bad = std::min(first_bad, other.first_bad);
    first_unwritten = std::min(first_unwritten, other.first_unwritten);
  }
};

// Flags elements `begin` to `end - 1` of the pair that hold poison where something else is expected.
template <typename Bits>
std::size_t mark_each(const Pair& pair, std::size_t begin, std::size_t end, std::uint8_t* marks) {
  const auto* got = reinterpret_cast<const Bits*>(pair.got) + begin;
  const auto* expected = reinterpret_cast<const Bits*>(pair.expected) + begin;
  Bits poison = 0;
  std::memcpy(&poison, pair.poison, sizeof poison);
  std::size_t marked = 0;
  for (std::size_t i = 0; i < end - begin; ++i) {
    const bool unwritten = got[i] == poison && got[i] != expected[i];
    marks[i] = unwritten ? 1 : 0;
    marked += unwritten ? 1 : 0;
  }
  return marked;
}

// The same in whole stretches. The last stretch is the output's last eight bytes (all of a smaller output),
// which may reach back into the one before.
std::size_t mark_stretches(const Pair& pair, std::size_t begin, std::size_t end, std::uint8_t* marks) {
  const std::size_t all = tensor::bytes_of(pair.dtype, pair.count);
  const std::size_t per_stretch = kStretchBytes * 8 / tensor::bits_of(pair.dtype);
  const std::size_t bytes = std::min(kStretchBytes, all);
  std::byte stretch[kStretchBytes];
  fill_pattern(stretch, kStretchBytes, pair.poison, tensor::bytes_of(pair.dtype, 1));
  std::size_t marked = 0;
  for (std::size_t first = begin; first < end; first += per_stretch) {
    const std::size_t last = std::min(first + per_stretch, end);
    const std::size_t at = std::min(first * tensor::bits_of(pair.dtype) / 8, all - bytes);
    if (std::memcmp(pair.got + at, stretch, bytes) != 0) continue;
    for (std::size_t i = first; i < last; ++i) {
      if (element_bits(pair.dtype, pair.got, i) == element_bits(pair.dtype, pair.expected, i)) continue;
      marks[i - begin] = 1;
      ++marked;
    }
  }
  return marked;
}

// `marks` has a zero for each element.
std::size_t mark_unwritten(const Pair& pair, std::size_t begin, std::size_t end, std::uint8_t* marks) {
  if (!poison_is_impossible(pair.dtype)) return mark_stretches(pair, begin, end, marks);
  switch (tensor::bits_of(pair.dtype)) {
    case 8:
      return mark_each<std::uint8_t>(pair, begin, end, marks);
    case 16:
      return mark_each<std::uint16_t>(pair, begin, end, marks);
    case 32:
      return mark_each<std::uint32_t>(pair, begin, end, marks);
    default:
      return mark_each<std::uint64_t>(pair, begin, end, marks);
  }
}

// Gives element `index` the bits that it has in `from`.
void copy_element(DType dtype, const std::byte* from, std::byte* to, std::size_t index) {
  if (tensor::bits_of(dtype) == 4) {
    const std::byte half = index % 2 == 0 ? std::byte{0x0F} : std::byte{0xF0};
    to[index / 2] = (to[index / 2] & ~half) | (from[index / 2] & half);
    return;
  }
  const std::size_t size = tensor::bytes_of(dtype, 1);
  std::memcpy(to + index * size, from + index * size, size);
}

std::size_t first_mark(const std::uint8_t* marks, std::size_t begin, std::size_t end) {
  const void* first = std::memchr(marks, 1, end - begin);
  return first == nullptr ? kNone
                          : begin + static_cast<std::size_t>(static_cast<const std::uint8_t*>(first) - marks);
}

// Elements `begin` to `end - 1`, one block.
void compare_block(const Pair& pair, std::size_t begin, std::size_t end, const Tolerance& tolerance,
                   Totals& totals) {
  const std::size_t at = tensor::bytes_of(pair.dtype, begin);
  const std::size_t bytes = tensor::bytes_of(pair.dtype, end) - at;
  if (std::memcmp(pair.got + at, pair.expected + at, bytes) == 0) return;
  BlockFindings findings;
  Totals block;
  std::uint8_t unwritten[kCompareBlock] = {};
  block.unwritten = mark_unwritten(pair, begin, end, unwritten);
  if (block.unwritten == 0) {
    compare_values(pair.dtype, pair.got + at, pair.expected + at, end - begin, tolerance, findings);
  } else {
    // What was never written is wrong, and has no error.
    alignas(8) std::byte written[kCompareBlock * 8];
    std::memcpy(written, pair.got + at, bytes);
    for (std::size_t i = 0; i < end - begin; ++i) {
      if (unwritten[i] != 0) copy_element(pair.dtype, pair.expected + at, written, i);
    }
    compare_values(pair.dtype, written, pair.expected + at, end - begin, tolerance, findings);
    for (std::size_t i = 0; i < end - begin; ++i)
      findings.bad[i] = static_cast<std::uint8_t>(findings.bad[i] | unwritten[i]);
    block.first_unwritten = first_mark(unwritten, begin, end);
  }
  for (std::size_t i = 0; i < end - begin; ++i) block.bad += findings.bad[i];
  block.absolute_error = findings.absolute_error;
  block.relative_error = findings.relative_error;
  block.nan_disagrees = findings.nan_disagrees;
  block.infinity_disagrees = findings.infinity_disagrees;
  block.first_bad = first_mark(findings.bad, begin, end);
  totals.add(block);
}

}  // namespace

std::uint64_t element_bits(DType dtype, const std::byte* base, std::size_t index) {
  if (tensor::bits_of(dtype) == 4)
    return static_cast<std::uint64_t>(base[index / 2]) >> (4 * (index % 2)) & 15U;
  std::uint64_t bits = 0;
  const std::size_t size = tensor::bytes_of(dtype, 1);
  std::memcpy(&bits, base + index * size, size);
  return bits;
}

double with_disagreement(double error, bool nan_disagrees, bool infinity_disagrees) {
  if (nan_disagrees) return std::numeric_limits<double>::quiet_NaN();
  return infinity_disagrees ? std::numeric_limits<double>::infinity() : error;
}

std::string element_text(DType dtype, std::uint64_t element) {
  if (dtype == DType::kBool) {
    if (element > 1) return fmt::format("{:#04x}, which is no bool", element);
    return element == 1 ? "true" : "false";
  }
  if (dtype == DType::kInt64) return std::to_string(static_cast<std::int64_t>(element));
  double value = 0;
  tensor::to_double(dtype, &element, &value, 1);
  if (std::isnan(value)) return "nan";  // whose sign says nothing, and would make two errors of one
  // As float32 where it is exact, which has fewer digits: 0.1 instead of 0.10000000149011612.
  if (tensor::is_floating(dtype) && dtype != DType::kFloat64)
    return fmt::format("{}", static_cast<float>(value));
  return fmt::format("{}", value);
}

double Comparison::matched_ratio() const {
  return count == 0 ? 1 : static_cast<double>(count - mismatched) / static_cast<double>(count);
}

Comparison compare(DType dtype, const void* got, const void* expected, std::size_t count,
                   const Tolerance& tolerance, const void* poison_element, unsigned threads) {
  const Pair pair{dtype, static_cast<const std::byte*>(got), static_cast<const std::byte*>(expected), count,
                  static_cast<const std::byte*>(poison_element)};
  Totals totals;
  std::mutex mutex;
  const std::size_t blocks = (count + kCompareBlock - 1) / kCompareBlock;
  tensor::parallel_for(blocks, 64, threads, [&](std::size_t begin, std::size_t end) {
    Totals range;
    for (std::size_t i = begin; i < end; ++i) {
      compare_block(pair, i * kCompareBlock, std::min(count, (i + 1) * kCompareBlock), tolerance, range);
    }
    const std::scoped_lock lock(mutex);
    totals.add(range);
  });
  Comparison result;
  result.count = count;
  result.mismatched = totals.bad;
  result.unwritten = totals.unwritten;
  result.max_absolute_error =
      with_disagreement(totals.absolute_error, totals.nan_disagrees, totals.infinity_disagrees);
  result.max_relative_error =
      with_disagreement(totals.relative_error, totals.nan_disagrees, totals.infinity_disagrees);
  if (totals.bad == 0) return result;
  const std::size_t first = totals.unwritten > 0 ? totals.first_unwritten : totals.first_bad;
  result.first_bad = first;
  result.expected_text = element_text(dtype, element_bits(dtype, pair.expected, first));
  result.got_text = element_text(dtype, element_bits(dtype, pair.got, first));
  return result;
}

}  // namespace fib::eval
