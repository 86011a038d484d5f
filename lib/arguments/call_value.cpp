#include "arguments/call_value.h"

#include <cstring>

namespace fib::arguments {

using tensor::DType;

void load_scalar(DType dtype, const std::byte* slot, ArgumentValue& value) {
  double real = 0;
  std::int64_t integer = 0;
  std::memcpy(&real, slot, sizeof real);
  std::memcpy(&integer, slot, sizeof integer);
  switch (dtype) {
    case DType::kFloat64:
      value.f64 = real;
      break;
    case DType::kInt64:
      value.i64 = integer;
      break;
    case DType::kInt32:
      value.i32 = static_cast<std::int32_t>(integer);
      break;
    case DType::kInt16:
      value.i16 = static_cast<std::int16_t>(integer);
      break;
    case DType::kInt8:
      value.i8 = static_cast<std::int8_t>(integer);
      break;
    case DType::kUInt8:
    case DType::kBool:
      value.u8 = static_cast<std::uint8_t>(integer);
      break;
    default:
      value.f32 = static_cast<float>(real);
  }
}

std::size_t scalar_bytes(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kInt64:
      return 8;
    case DType::kInt16:
      return 2;
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool:
      return 1;
    default:
      return 4;
  }
}

ffi_type* scalar_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return &ffi_type_double;
    case DType::kInt64:
      return &ffi_type_sint64;
    case DType::kInt32:
      return &ffi_type_sint32;
    case DType::kInt16:
      return &ffi_type_sint16;
    case DType::kInt8:
      return &ffi_type_sint8;
    case DType::kUInt8:
    case DType::kBool:
      return &ffi_type_uint8;
    default:
      return &ffi_type_float;
  }
}

}  // namespace fib::arguments
