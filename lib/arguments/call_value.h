#pragma once

#include <ffi.h>

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

// Arguments as functions and kernels take them.
namespace fib::arguments {

// A scalar argument's value, as a function or kernel takes it.
union ArgumentValue {
  void* pointer;
  float f32;
  double f64;
  std::int64_t i64;
  std::int32_t i32;
  std::int16_t i16;
  std::int8_t i8;
  std::uint8_t u8;
};

// From a scalar slot's 8 bytes (a double for floating dtypes, else an int64): float32 and smaller floats as
// float, float64 as double, intN as intN_t, bool as uint8_t.
void load_scalar(tensor::DType dtype, const std::byte* slot, ArgumentValue& value);

// How many bytes it is passed in.
[[nodiscard]] std::size_t scalar_bytes(tensor::DType dtype);

// The same as libffi's type.
[[nodiscard]] ffi_type* scalar_type(tensor::DType dtype);

}  // namespace fib::arguments
