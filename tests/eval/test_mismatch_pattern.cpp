#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "eval/mismatch_pattern.h"

using namespace fib;

namespace {

// The pattern of an output of `shape` when `spoil` has changed what is right.
std::string pattern_of(const std::vector<std::int64_t>& shape,
                       const std::function<void(std::vector<float>&, std::size_t columns)>& spoil) {
  eval::Slot slot;
  slot.name = "y";
  slot.dtype = tensor::DType::kFloat32;
  slot.shape = shape;
  const std::size_t count = slot.count();
  slot.bytes = count * sizeof(float);
  std::vector<float> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = 1.0F + std::sin(static_cast<float>(i * i));
  std::vector<float> got = expected;
  spoil(got, static_cast<std::size_t>(shape.back()));
  const auto poison = eval::make_poison(slot.dtype, 7);
  return eval::mismatch_pattern(slot, reinterpret_cast<const std::byte*>(got.data()),
                                reinterpret_cast<const std::byte*>(expected.data()), poison, {}, {});
}

}  // namespace

TEST_CASE("a pattern tells which elements are wrong") {
  const std::vector<std::int64_t> shape{3, 16, 16};
  using Values = std::vector<float>;
  const auto of = [&](const std::function<void(Values&, std::size_t)>& spoil) {
    return pattern_of(shape, spoil);
  };
  CHECK(of([](Values& y, std::size_t) { std::fill(y.begin(), y.end(), -0.0F); }) == "all_zeros");
  CHECK(of([](Values& y, std::size_t) {
          std::fill(y.begin(), y.end(), std::numeric_limits<float>::quiet_NaN());
        }) == "all_nan");
  CHECK(of([](Values& y, std::size_t n) {
          for (std::size_t m = 0; m < 3; ++m) {
            for (std::size_t i = 0; i < n; ++i) {
              for (std::size_t j = 0; j < i; ++j) std::swap(y[(m * n + i) * n + j], y[(m * n + j) * n + i]);
            }
          }
        }) == "transposed");
  CHECK(of([](Values& y, std::size_t n) {
          std::rotate(y.begin(), y.begin() + static_cast<long>(n), y.end());
        }) == "off_by_one_row");
  CHECK(of([](Values& y, std::size_t) {
          for (float& value : y) value += 5;
        }) == "all");
  CHECK(of([](Values& y, std::size_t) {
          for (std::size_t i = y.size() - 3; i < y.size(); ++i) y[i] = 9;
        }) == "last_elements");
  CHECK(of([](Values& y, std::size_t) { y[0] = y[1] = 9; }) == "first_elements");
  CHECK(of([](Values& y, std::size_t n) { y[5 * n + 1] = y[5 * n + 7] = 9; }) == "one_row");
  CHECK(of([](Values& y, std::size_t n) {
          for (std::size_t row = 3; row < 9; ++row) y[row * n + 4] = 9;
        }) == "one_column");
  CHECK(of([](Values& y, std::size_t n) { y[46 * n + 1] = y[47 * n + 9] = 9; }) == "last_rows");
  CHECK(of([](Values& y, std::size_t n) { y[1] = y[n + 9] = 9; }) == "first_rows");
  CHECK(of([](Values& y, std::size_t n) { y[5 * n + 15] = y[9 * n + 14] = y[20 * n + 15] = 9; }) ==
        "last_columns");
  CHECK(of([](Values& y, std::size_t n) { y[5 * n] = y[9 * n + 1] = y[20 * n] = 9; }) == "first_columns");
  CHECK(of([](Values& y, std::size_t) {
          for (std::size_t i = 2; i < y.size(); i += 7) y[i] = 9;
        }) == "every_nth");
  CHECK(of([](Values& y, std::size_t) {
          for (std::size_t i = 0; i < y.size(); ++i)
            if (i % 24 >= 22) y[i] = 9;
        }) == "block_tails");
  CHECK(of([](Values& y, std::size_t n) { y[3 * n + 3] = y[7 * n + 8] = y[9 * n + 1] = 9; }).empty());
  CHECK(of([](Values&, std::size_t) {}).empty());
}

TEST_CASE("of one dimension there are no rows and columns, and of too many elements no pattern") {
  CHECK(pattern_of({100}, [](auto& y, std::size_t) { y[99] = 9; }) == "last_elements");
  CHECK(pattern_of({100}, [](auto& y, std::size_t) { y[50] = 9; }).empty());
  CHECK(pattern_of({1}, [](auto& y, std::size_t) { y[0] = 9; }) == "all");
  // The ends of blocks of 8, of which some are right; other lengths or ends, or two runs, are none.
  const auto runs = [](std::initializer_list<std::pair<std::size_t, std::size_t>> of) {
    return pattern_of({100}, [&](auto& y, std::size_t) {
      for (const auto& [begin, end] : of)
        std::fill(y.begin() + static_cast<long>(begin), y.begin() + static_cast<long>(end), 9.0F);
    });
  };
  CHECK(runs({{5, 8}, {13, 16}, {37, 40}}) == "block_tails");
  CHECK(runs({{5, 8}, {14, 16}, {37, 40}}).empty());
  CHECK(runs({{5, 8}, {14, 17}, {37, 40}}).empty());
  CHECK(runs({{5, 8}, {37, 40}}).empty());
  CHECK(runs({{4, 7}, {11, 14}, {32, 35}}).empty());
  // What has one row alone is of one dimension too.
  CHECK(pattern_of({1, 100}, [](auto& y, std::size_t) { y[50] = 9; }).empty());
  CHECK(pattern_of({1, 100}, [](auto& y, std::size_t) { y[40] = y[50] = 9; }).empty());
  CHECK(pattern_of({1, 1, 100}, [](auto& y, std::size_t) { y[99] = 9; }) == "last_elements");
  CHECK(pattern_of({5'000'000}, [](auto& y, std::size_t) { y[0] = 9; }).empty());
}
