#include "worker/scalars.h"

#include <cstring>

namespace fib::worker {

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

}  // namespace fib::worker
