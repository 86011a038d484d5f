#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tensor/dtype.h"
#include "util/error.h"

namespace {

using fib::tensor::DType;

TEST_CASE("every dtype has the name that the format gives it and is found by it") {
  const std::pair<DType, const char*> table[] = {
      {DType::kFloat64, "float64"},
      {DType::kFloat32, "float32"},
      {DType::kFloat16, "float16"},
      {DType::kBFloat16, "bfloat16"},
      {DType::kFloat8E4M3FN, "float8_e4m3fn"},
      {DType::kFloat8E5M2, "float8_e5m2"},
      {DType::kFloat4E2M1, "float4_e2m1"},
      {DType::kInt64, "int64"},
      {DType::kInt32, "int32"},
      {DType::kInt16, "int16"},
      {DType::kInt8, "int8"},
      {DType::kUInt8, "uint8"},
      {DType::kBool, "bool"},
  };
  for (const auto& [dtype, name] : table) {
    CHECK(fib::tensor::name_of(dtype) == name);
    CHECK(fib::tensor::dtype_from_name(name) == dtype);
  }
}

TEST_CASE("names of other dtypes are unknown, and case matters") {
  for (const char* name : {"", "Float32", "float", "int", "uint16", "float8", "float32 "})
    CHECK_FALSE(fib::tensor::dtype_from_name(name).has_value());
}

TEST_CASE("elements take the bytes that their bits fill, and two float4 share a byte") {
  CHECK(fib::tensor::bytes_of(DType::kFloat64, 3) == 24);
  CHECK(fib::tensor::bytes_of(DType::kInt32, 3) == 12);
  CHECK(fib::tensor::bytes_of(DType::kBFloat16, 3) == 6);
  CHECK(fib::tensor::bytes_of(DType::kBool, 3) == 3);
  CHECK(fib::tensor::bits_of(DType::kFloat4E2M1) == 4);
  CHECK(fib::tensor::bytes_of(DType::kFloat4E2M1, 0) == 0);
  CHECK(fib::tensor::bytes_of(DType::kFloat4E2M1, 3) == 2);
  CHECK(fib::tensor::bytes_of(DType::kFloat4E2M1, 4) == 2);
}

TEST_CASE("a byte count beyond 64 bits and a dtype that is none are errors") {
  CHECK_THROWS_AS(fib::tensor::bytes_of(DType::kFloat64, std::size_t{1} << 61), fib::Error);
  CHECK_NOTHROW(fib::tensor::bytes_of(DType::kFloat4E2M1, ~std::size_t{0}));
  CHECK_THROWS_AS(fib::tensor::name_of(static_cast<DType>(99)), fib::Error);
}

TEST_CASE("dtypes are floating, integral or bool") {
  CHECK(fib::tensor::is_floating(DType::kFloat4E2M1));
  CHECK(fib::tensor::is_floating(DType::kFloat64));
  CHECK_FALSE(fib::tensor::is_floating(DType::kInt8));
  CHECK(fib::tensor::is_integral(DType::kUInt8));
  CHECK(fib::tensor::is_integral(DType::kInt64));
  CHECK_FALSE(fib::tensor::is_integral(DType::kBool));
  CHECK_FALSE(fib::tensor::is_floating(DType::kBool));
}

}  // namespace
