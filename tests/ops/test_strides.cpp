#include <catch2/catch.hpp>

#include "ops/elementwise.h"
#include "ops/strides.h"
#include "ops/tensor.h"

namespace {

using namespace fib::ops;  // NOLINT: all of it is used

Runtime make_runtime() { return {1, std::make_shared<MemoryPool>(0), make_portable_gemm(1)}; }

Tensor counting(const Runtime& runtime, const Shape& shape) {
  Tensor result = make_empty(runtime, DType::kInt32, shape);
  auto* data = reinterpret_cast<std::int32_t*>(result.data());
  for (std::int64_t i = 0; i < result.numel(); ++i) data[i] = static_cast<std::int32_t>(i);
  return result;
}

TEST_CASE("Neighbouring dimensions are joined where they lie end to end") {
  const Runtime runtime = make_runtime();
  const Tensor a = counting(runtime, {2, 3, 4});
  CHECK(Strides(a).rank == 1);
  CHECK(Strides(a).shape[0] == 24);
  CHECK(Strides(permute(a, {1, 0, 2})).rank == 3);
  CHECK(Strides(permute(a, {2, 0, 1})).rank == 2);
  CHECK(Strides(select(a, 1, 0)).rank == 2);
  CHECK(Strides(expand(select(select(select(a, 0, 0), 0, 0), 0, 0), {5, 6})).rank == 1);
  CHECK(Strides(scalar_tensor(runtime, DType::kInt32, std::int64_t{1})).rank == 0);
}

TEST_CASE("A walk visits the elements in row-major order from any start") {
  const Runtime runtime = make_runtime();
  const Tensor a = permute(counting(runtime, {2, 3, 4}), {2, 0, 1});
  const Strides strides(a);
  std::vector<std::int64_t> expected;
  for (std::int64_t k = 0; k < 4; ++k) {
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) expected.push_back(i * 12 + j * 4 + k);
    }
  }
  for (std::int64_t begin = 0; begin < 24; ++begin) {
    Walk walk(strides, begin);
    for (std::int64_t i = begin; i < 24; ++i) {
      CHECK(walk.offset() == expected[static_cast<std::size_t>(i)]);
      walk.advance(1);
    }
  }
}

TEST_CASE("A view exists exactly where strides can express it") {
  const Runtime runtime = make_runtime();
  const Tensor a = counting(runtime, {2, 3, 4});
  CHECK(try_view(a, {4, 6}).has_value());
  CHECK(try_view(slice(a, 2, 0, 2, 1), {6, 2}).has_value());
  CHECK_FALSE(try_view(slice(a, 2, 0, 2, 1), {12}).has_value());
  CHECK_FALSE(try_view(transpose(a, 0, 1), {24}).has_value());
  CHECK(try_view(transpose(a, 0, 1), {3, 2, 2, 2}).has_value());
  const auto expanded = try_view(expand(unsqueeze(a, 0), {5, 2, 3, 4}), {5, 24});
  REQUIRE(expanded.has_value());
  CHECK(expanded->strides == std::vector<std::int64_t>{0, 1});
  CHECK_THROWS_AS(try_view(a, {5, 5}), fib::Error);
  CHECK_THROWS_AS(try_view(a, {-1, -1}), fib::Error);
  CHECK(try_view(counting(runtime, {0, 3}), {3, 0}).has_value());
}

TEST_CASE("Transposing copies are exact at every size around a tile") {
  const Runtime runtime = make_runtime();
  for (const std::int64_t rows : {31, 32, 33, 100, 200}) {
    const Tensor a = counting(runtime, {3, rows, 70});
    const Tensor b = converted(runtime, transpose(a, 1, 2), DType::kInt32);
    CHECK(b.is_contiguous());
    const auto* data = reinterpret_cast<const std::int32_t*>(b.data());
    bool exact = true;
    for (std::int64_t n = 0; n < 3; ++n) {
      for (std::int64_t j = 0; j < 70; ++j) {
        for (std::int64_t i = 0; i < rows; ++i)
          exact &= data[(n * 70 + j) * rows + i] == (n * rows + i) * 70 + j;
      }
    }
    CHECK(exact);
  }
}

TEST_CASE("Expanded tensors are not written to") {
  const Runtime runtime = make_runtime();
  const Tensor a = expand(counting(runtime, {1, 3}), {2, 3});
  CHECK_THROWS_AS(copy_into(runtime, counting(runtime, {2, 3}), a), fib::Error);
}

TEST_CASE("More dimensions than a walk has are refused") {
  const Runtime runtime = make_runtime();
  Tensor a = counting(runtime, {1});
  a.shape = Shape(20, 2);
  a.strides.clear();
  for (int i = 0; i < 20; ++i) a.strides.push_back(i % 2 == 0 ? 3 : 1);
  CHECK_THROWS_AS(Strides(a), fib::Error);
}

}  // namespace
