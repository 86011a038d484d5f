#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "eval/evaluator.h"

using namespace fib;
using tensor::DType;

namespace {

struct Case {
  eval::Layout layout;
  std::vector<std::byte> got;
  std::vector<std::byte> expected;
  std::vector<eval::PoisonElement> poison;

  Case() : got(512), expected(512) {
    layout.outputs = {{"c", DType::kFloat32, false, {2, 3}, 0, 24}, {"i", DType::kInt32, false, {2}, 256, 8}};
    layout.output_bytes = 264;
    poison = {eval::make_poison(DType::kFloat32, 1), eval::make_poison(DType::kInt32, 2)};
  }
  void set(std::vector<std::byte>& buffer, std::size_t index, float value) const {
    std::memcpy(buffer.data() + index * 4, &value, 4);
  }
  [[nodiscard]] eval::Judgement judge(const eval::Tolerance& tolerance = {}, std::size_t outputs = 2) const {
    return eval::judge_outputs(layout, got.data(), expected.data(), poison, tolerance, outputs, 1);
  }
};

}  // namespace

TEST_CASE("no error may exceed the cap, whatever share of elements must match") {
  Case c;
  c.set(c.got, 4, 3);
  CHECK(c.judge({.required_matched_ratio = 0.5}).correct);
  CHECK(c.judge({.required_matched_ratio = 0.5, .max_error = 3}).correct);
  const auto judgement = c.judge({.required_matched_ratio = 0.5, .max_error = 2.5});
  CHECK_FALSE(judgement.correct);
  CHECK_THAT(judgement.explanation,
             Catch::Contains("the largest error is 3") && Catch::Contains("no error > 2.5"));
  // An element that is too wrong is named, and none that the ratio would let pass.
  c.set(c.got, 1, 0.5F);
  const auto named = c.judge({.required_matched_ratio = 0.5, .max_error = 2.5});
  REQUIRE(named.mismatch);
  CHECK(named.mismatch->index == std::vector<std::uint64_t>{1, 1});
  CHECK(named.mismatch->wrong == 1);
  CHECK_THAT(named.explanation, Catch::Contains("2 of 6 elements do not match") &&
                                    Catch::Contains("; the largest error is 3; first at ") &&
                                    Catch::Contains(", got 3"));
  // Rows that are alike within the limit are in no other's place.
  Case rows;
  rows.layout.outputs[0].shape = {6, 1};
  for (std::size_t i = 0; i < 6; ++i) {
    rows.set(rows.got, i, static_cast<float>(i) + (i == 0 ? 3.F : 0.F));
    rows.set(rows.expected, i, static_cast<float>(i));
  }
  CHECK(rows.judge({.required_matched_ratio = 0.5, .max_error = 2.5}).mismatch->pattern == "first_elements");
  c.set(c.got, 4, std::numeric_limits<float>::quiet_NaN());
  CHECK_FALSE(c.judge({.required_matched_ratio = 0.5, .max_error = 1e30}).correct);
}

TEST_CASE("a comparison is right without unwritten elements, with enough that match and no error too large") {
  const auto is_right = [](std::size_t mismatched, std::size_t unwritten, double error) {
    eval::Comparison comparison;
    comparison.count = 4;
    comparison.mismatched = mismatched;
    comparison.unwritten = unwritten;
    comparison.max_absolute_error = error;
    return eval::is_right(comparison, {.required_matched_ratio = 0.5, .max_error = 3});
  };
  CHECK(is_right(2, 0, 3));
  CHECK_FALSE(is_right(3, 0, 3));
  CHECK_FALSE(is_right(1, 1, 3));
  CHECK_FALSE(is_right(0, 0, 3.5));
}

TEST_CASE("equal outputs are correct") {
  const auto judgement = Case().judge();
  CHECK(judgement.correct);
  CHECK(judgement.max_absolute_error == 0);
  CHECK(judgement.explanation.empty());
}

TEST_CASE("a wrong element is named with its index, both values and the rule") {
  Case c;
  c.set(c.got, 4, 7);
  c.set(c.expected, 4, 2);
  const auto judgement = c.judge();
  CHECK_FALSE(judgement.correct);
  CHECK(judgement.max_absolute_error == 5);
  CHECK(judgement.matched_ratio == Approx(5.0 / 6));
  CHECK(judgement.explanation.find("1 of 6 elements do not match; first at c[1, 1]: expected 2, got 7") !=
        std::string::npos);
  CHECK(c.judge({.required_matched_ratio = 0.8}).correct);
}

TEST_CASE("the second output counts as much as the first") {
  Case c;
  c.got[256] = std::byte{1};
  CHECK(c.judge().explanation.find("output \"i\"") == 0);
}

TEST_CASE("outputs that were not returned are not judged") {
  Case c;
  c.got[256] = std::byte{1};
  CHECK(c.judge({}, 1).correct);
  c.set(c.got, 4, 7);
  CHECK_FALSE(c.judge({}, 1).correct);
}

TEST_CASE("an element that holds the poison is unwritten even when the ratio would forgive it") {
  Case c;
  std::memcpy(c.got.data(), c.poison[0].data(), 4);
  const auto judgement = c.judge({.required_matched_ratio = 0.1});
  CHECK_FALSE(judgement.correct);
  CHECK(judgement.explanation.find("1 of 6 elements were never written") != std::string::npos);
  CHECK(judgement.max_absolute_error == 0);
}

TEST_CASE("claims are checked against the layout") {
  const Case c;
  const eval::OutputClaim good_c{DType::kFloat32, {2, 3}};
  const eval::OutputClaim good_i{DType::kInt32, {2}};
  CHECK_FALSE(eval::check_claims(c.layout, {good_c, good_i}));
  CHECK(eval::check_claims(c.layout, {good_c})->shape);
  CHECK_FALSE(eval::check_claims(c.layout, {good_c}, 1));
  CHECK(eval::check_claims(c.layout, {}, 1)->text == "expected 1 to 2 outputs, got 0");
  CHECK(eval::check_claims(c.layout, {good_c, good_i, good_i}, 1)->shape);
  const auto shape = eval::check_claims(c.layout, {{DType::kFloat32, {3, 2}}, good_i});
  CHECK(shape->shape);
  CHECK(shape->text == "output \"c\": expected shape (2, 3), got (3, 2)");
  const auto dtype = eval::check_claims(c.layout, {good_c, {DType::kInt64, {2}}});
  CHECK_FALSE(dtype->shape);
  CHECK(dtype->text == "output \"i\": expected dtype int32, got int64");
  const auto foreign = eval::check_claims(c.layout, {good_c, {std::nullopt, {2}}});
  CHECK_FALSE(foreign->shape);
  CHECK(foreign->text == "output \"i\": expected dtype int32, got one that the format does not have");
}
