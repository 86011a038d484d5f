#include "arguments/scalars.h"

#include <bit>
#include <cstring>
#include <optional>

#include "arguments/tensors.h"
#include "tensor/convert.h"

namespace fib::arguments {
namespace {

using tensor::DType;

template <typename T>
T read_at(const void* address) {
  T value{};
  std::memcpy(&value, address, sizeof value);
  return value;
}

bool is_wide(DType dtype) {
  return dtype != DType::kFloat8E4M3FN && dtype != DType::kFloat8E5M2 && dtype != DType::kFloat4E2M1;
}

// The dtype of a number that lies in a tensor; nothing when it is none that can be read here.
std::optional<DType> dtype_of_number(const fib_tensor* tensor) {
  if (tensor == nullptr || tensor->ndim != 0 || !is_on_host(tensor->device_type) || tensor->data == nullptr)
    return std::nullopt;
  const auto dtype = tvm_ffi::dtype_of(data_type_of(*tensor));
  return dtype && is_wide(*dtype) ? dtype : std::nullopt;
}

double float_at(DType dtype, const void* address) {
  switch (dtype) {
    case DType::kFloat64:
      return read_at<double>(address);
    case DType::kFloat16:
      return static_cast<double>(tensor::float16_to_float(read_at<std::uint16_t>(address)));
    case DType::kBFloat16:
      return static_cast<double>(tensor::bfloat16_to_float(read_at<std::uint16_t>(address)));
    default:
      return static_cast<double>(read_at<float>(address));
  }
}

std::int64_t integer_at(DType dtype, const void* address) {
  switch (dtype) {
    case DType::kInt32:
      return read_at<std::int32_t>(address);
    case DType::kInt16:
      return read_at<std::int16_t>(address);
    case DType::kInt8:
      return read_at<std::int8_t>(address);
    case DType::kUInt8:
      return read_at<std::uint8_t>(address);
    case DType::kBool:
      return read_at<std::uint8_t>(address) != 0 ? 1 : 0;
    default:
      return read_at<std::int64_t>(address);
  }
}

// Whether an integer is one of that dtype's.
bool has_value(DType dtype, std::int64_t value) {
  const auto within = [&](std::int64_t least, std::int64_t most) { return value >= least && value <= most; };
  switch (dtype) {
    case DType::kInt32:
      return within(INT32_MIN, INT32_MAX);
    case DType::kInt16:
      return within(INT16_MIN, INT16_MAX);
    case DType::kInt8:
      return within(INT8_MIN, INT8_MAX);
    case DType::kUInt8:
      return within(0, UINT8_MAX);
    default:
      return true;
  }
}

}  // namespace

bool takes(DType dtype, const fib_value& value) noexcept {
  switch (value.kind) {
    case FIB_TENSOR: {
      const auto held = dtype_of_number(value.u.tensor);
      if (!held || tensor::is_floating(dtype)) return held.has_value();
      return !tensor::is_floating(*held) && has_value(dtype, integer_at(*held, address_of(*value.u.tensor)));
    }
    case FIB_FLOAT:
      return tensor::is_floating(dtype);
    case FIB_INTEGER:
    case FIB_BOOL:
      return has_value(dtype, value.u.integer);
    default:
      return false;
  }
}

std::int64_t scalar_bits(DType dtype, const fib_value& value) noexcept {
  const bool wants_float = tensor::is_floating(dtype);
  const auto result = [&](double number, std::int64_t integer, bool is_float) {
    if (wants_float) return std::bit_cast<std::int64_t>(is_float ? number : static_cast<double>(integer));
    return dtype == DType::kBool ? std::int64_t{integer != 0} : integer;
  };
  if (value.kind == FIB_FLOAT) return result(value.u.number, 0, true);
  if (value.kind != FIB_TENSOR) return result(0, value.u.integer, false);
  const auto held = dtype_of_number(value.u.tensor).value_or(DType::kInt64);
  const void* at = address_of(*value.u.tensor);
  return tensor::is_floating(held) ? result(float_at(held, at), 0, true)
                                   : result(0, integer_at(held, at), false);
}

}  // namespace fib::arguments
