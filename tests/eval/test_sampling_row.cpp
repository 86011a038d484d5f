#include <catch2/catch.hpp>
#include <limits>

#include "eval/samplers.h"

using namespace fib;
using eval::look_up;
using eval::RowFilter;
using testing::remaining;

namespace {

std::vector<float> random_row(std::uint64_t key, std::size_t tokens) {
  std::vector<float> row(tokens);
  tensor::fill_probabilities(tensor::DType::kFloat32, key, row.data(), 1, tokens, 1);
  return row;
}

// Every token's place, by the plain way.
void check_row(const std::vector<float>& row, const RowFilter& filter) {
  const auto mass = remaining(row, filter);
  double below = 0;
  for (std::size_t token = 0; token < row.size(); below += mass[token++]) {
    const auto draw = look_up(row, filter, token);
    CHECK(draw.share == Approx(mass[token]).margin(1e-12));
    CHECK(draw.below_by_index == Approx(below).margin(1e-12));
    double above = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] > row[token] || (row[i] == row[token] && i < token && mass[token] > 0)) above += mass[i];
    }
    CHECK(draw.below_by_rank == Approx(above).margin(1e-12));
    if (mass[token] > 0) CHECK(draw.inside);
    CHECK(draw.kept == static_cast<std::size_t>(
                           std::count_if(mass.begin(), mass.end(), [](double value) { return value > 0; })));
  }
}

}  // namespace

TEST_CASE("a token's place in its row is what sorting and cutting say") {
  for (std::uint64_t key = 1; key <= 20; ++key) {
    const auto row = random_row(key, 37);
    for (const RowFilter& filter :
         std::vector<RowFilter>{{}, {5, {}}, {1, {}}, {36, {}}, {{}, 0.3}, {{}, 0.93}, {10, 0.7}, {3, 0.0}}) {
      check_row(row, filter);
    }
  }
}

TEST_CASE("filters that cut nothing cut nothing") {
  const auto row = random_row(3, 37);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const RowFilter& filter : std::vector<RowFilter>{{0, {}}, {-7, 1.0}, {37, 1.5}, {100, nan}}) {
    CHECK(look_up(row, filter, 0).kept == 37);
    check_row(row, {});
  }
}

TEST_CASE("tokens outside of the filter are not inside, but for what float32 sums may err") {
  std::vector<float> row = {0.4F, 0.3F, 0.2F, 0.1F};
  CHECK(look_up(row, {2, {}}, 1).inside);
  CHECK_FALSE(look_up(row, {2, {}}, 2).inside);
  CHECK(look_up(row, {{}, 0.5}, 1).inside);  // it crosses
  CHECK_FALSE(look_up(row, {{}, 0.5}, 2).inside);
  CHECK(look_up(row, {{}, 0.699995}, 2).inside);  // 0.7 is before it
  CHECK(look_up(row, {{}, 0.699995}, 2).share == 0);
  CHECK_FALSE(look_up(row, {{}, 0.699995}, 2).usable);
  CHECK_FALSE(look_up(row, {{}, 0.6999}, 2).inside);
  CHECK(look_up(row, {{}, 0.6999}, 2).usable);
  CHECK_FALSE(look_up(row, {{}, -1}, 1).inside);
  // Top-p is of what top-k leaves: 0.4 and 0.3 of 0.7.
  CHECK_FALSE(look_up(row, {2, 0.5}, 1).inside);
  CHECK(look_up(row, {2, 0.6}, 1).inside);
}

TEST_CASE("ties at the border are all kept, and such rows are not used where ties weigh much") {
  const std::vector<float> row = {0.2F, 0.2F, 0.2F, 0.2F, 0.2F};
  const auto draw = look_up(row, {2, {}}, 4);
  CHECK(draw.inside);
  CHECK(draw.kept == 5);
  CHECK_FALSE(draw.usable);
  CHECK_FALSE(look_up(row, {{}, 0.6}, 4).usable);
  CHECK(look_up(row, {}, 4).usable);
}

TEST_CASE("tokens without probability are never drawn; rows without any say nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(look_up(std::vector<float>{0.5F, 0, 0.5F}, {}, 1).inside);
  CHECK_FALSE(look_up(std::vector<float>{0.5F, -1, 0.5F}, {}, 1).inside);
  CHECK_FALSE(look_up(std::vector<float>{0.5F, nan, 0.5F}, {2, {}}, 1).inside);
  CHECK(look_up(std::vector<float>{0.5F, nan, 0.5F}, {2, {}}, 0).usable);
  const auto empty = look_up(std::vector<float>{0, 0, 0}, {}, 1);
  CHECK(empty.inside);
  CHECK_FALSE(empty.usable);
}

TEST_CASE("rows need not sum to one") {
  auto row = random_row(9, 100);
  const auto before = look_up(row, {20, 0.8}, 7);
  for (float& value : row) value *= 4;
  const auto after = look_up(row, {20, 0.8}, 7);
  CHECK(after.share == Approx(before.share));
  CHECK(after.probability == Approx(before.probability));
  CHECK(after.rank == before.rank);
}
