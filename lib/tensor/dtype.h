#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fib::tensor {

// The element types of FlashInfer-Trace, plus float64 and uint8 (which references use inside).
enum class DType : std::uint8_t {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat8E4M3FN,
  kFloat8E5M2,
  kFloat4E2M1,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool,
};

// Bits of one element: 4 for float4_e2m1 (two to a byte, low nibble first), else a multiple of 8.
[[nodiscard]] std::size_t bits_of(DType dtype);

// Bytes that `count` contiguous elements take (float4_e2m1 rounds up to a whole byte).
[[nodiscard]] std::size_t bytes_of(DType dtype, std::size_t count);

// The name used in definitions: "float32", "bfloat16", "float8_e4m3fn", "bool", ...
[[nodiscard]] std::string_view name_of(DType dtype);

// The inverse of name_of; nothing for an unknown name. Case-sensitive, as the format is.
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

[[nodiscard]] bool is_floating(DType dtype);
[[nodiscard]] bool is_integral(DType dtype);  // int64, int32, int16, int8, uint8; not bool

}  // namespace fib::tensor
