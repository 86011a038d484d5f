#include <bit>
#include <catch2/catch.hpp>

#include "arguments/scalars.h"
#include "support/tensors.h"

using namespace fib;
using arguments::scalar_bits;
using arguments::takes;
using tensor::DType;
using testing::boolean;
using testing::HostTensor;
using testing::integer;
using testing::real;

TEST_CASE("floats take integers, integers take no floats") {
  CHECK(takes(DType::kFloat32, real(0.5)));
  CHECK(takes(DType::kFloat32, integer(2)));
  CHECK(takes(DType::kInt64, integer(2)));
  CHECK(takes(DType::kInt32, boolean(true)));
  CHECK_FALSE(takes(DType::kInt32, real(0.5)));
  CHECK_FALSE(takes(DType::kBool, real(1)));
  fib_value unknown{};
  unknown.kind = 17;
  CHECK_FALSE(takes(DType::kFloat32, unknown));
}

TEST_CASE("a scalar has a double's or an integer's bits") {
  CHECK(scalar_bits(DType::kFloat32, real(0.5)) == std::bit_cast<std::int64_t>(0.5));
  CHECK(scalar_bits(DType::kBFloat16, integer(3)) == std::bit_cast<std::int64_t>(3.0));
  CHECK(scalar_bits(DType::kInt32, integer(-7)) == -7);
  CHECK(scalar_bits(DType::kBool, integer(9)) == 1);
}

TEST_CASE("a number may lie in a tensor without axes") {
  HostTensor half(DType::kFloat16, {});
  *half.data<std::uint16_t>() = 0x3800;
  CHECK(takes(DType::kFloat32, half.value()));
  CHECK(scalar_bits(DType::kFloat32, half.value()) == std::bit_cast<std::int64_t>(0.5));
  HostTensor brain(DType::kBFloat16, {});
  *brain.data<std::uint16_t>() = 0xbf80;
  CHECK(scalar_bits(DType::kFloat64, brain.value()) == std::bit_cast<std::int64_t>(-1.0));
  HostTensor whole(DType::kInt16, {});
  *whole.data<std::int16_t>() = -5;
  CHECK(scalar_bits(DType::kInt64, whole.value()) == -5);
  CHECK(scalar_bits(DType::kFloat32, whole.value()) == std::bit_cast<std::int64_t>(-5.0));
  CHECK_FALSE(takes(DType::kInt64, half.value()));

  HostTensor list(DType::kFloat32, {1});
  CHECK_FALSE(takes(DType::kFloat32, list.value()));
  half.view().device_type = 3;  // kDLCUDAHost: page-locked memory, which is the host's
  CHECK(scalar_bits(DType::kFloat32, half.value()) == std::bit_cast<std::int64_t>(0.5));
  CHECK(takes(DType::kFloat32, half.value()));
  half.view().device_type = tvm_ffi::kCuda;  // its value is not at hand
  CHECK_FALSE(takes(DType::kFloat32, half.value()));
  HostTensor tiny(DType::kFloat8E5M2, {});
  CHECK_FALSE(takes(DType::kFloat32, tiny.value()));
}
