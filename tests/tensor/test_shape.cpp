#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "tensor/shape.h"

namespace {

using fib::tensor::Shape;

TEST_CASE("a shape's elements are the product of its dimensions, and no dimensions are one element") {
  CHECK(fib::tensor::element_count({}) == 1);
  CHECK(fib::tensor::element_count({5}) == 5);
  CHECK(fib::tensor::element_count({2, 3, 4}) == 24);
  CHECK(fib::tensor::element_count({2, 0, 4}) == 0);
  CHECK(fib::tensor::element_count({INT64_MAX}) == INT64_MAX);
}

TEST_CASE("negative dimensions and products beyond 63 bits have no count, not even beside a zero") {
  CHECK_FALSE(fib::tensor::element_count({2, -1}).has_value());
  CHECK_FALSE(fib::tensor::element_count({0, -1}).has_value());
  CHECK_FALSE(fib::tensor::element_count({INT64_MAX, 2}).has_value());
  CHECK_FALSE(fib::tensor::element_count({0, INT64_MAX, 2}).has_value());
  CHECK_FALSE(fib::tensor::element_count({std::int64_t{1} << 32, std::int64_t{1} << 31}).has_value());
}

TEST_CASE("contiguous strides end in 1 and step over all that lies inside") {
  CHECK(fib::tensor::contiguous_strides({}).empty());
  CHECK(fib::tensor::contiguous_strides({7}) == std::vector<std::int64_t>{1});
  CHECK(fib::tensor::contiguous_strides({2, 3, 4}) == std::vector<std::int64_t>{12, 4, 1});
  CHECK(fib::tensor::contiguous_strides({2, 0, 4}) == std::vector<std::int64_t>{4, 4, 1});
}

TEST_CASE("shapes are written in parentheses") {
  CHECK(fib::tensor::to_string(Shape{}) == "()");
  CHECK(fib::tensor::to_string({4}) == "(4)");
  CHECK(fib::tensor::to_string({2, 4}) == "(2, 4)");
}

}  // namespace
