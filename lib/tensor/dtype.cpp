#include "tensor/dtype.h"

#include <array>

#include "util/error.h"

namespace fib::tensor {

namespace {

enum class Kind : std::uint8_t { kFloating, kIntegral, kBool };

struct Row {
  std::string_view name;
  std::size_t bits;
  Kind kind;
};

// In the order of DType.
constexpr std::array<Row, 13> kRows{{
    {"float64", 64, Kind::kFloating},
    {"float32", 32, Kind::kFloating},
    {"float16", 16, Kind::kFloating},
    {"bfloat16", 16, Kind::kFloating},
    {"float8_e4m3fn", 8, Kind::kFloating},
    {"float8_e5m2", 8, Kind::kFloating},
    {"float4_e2m1", 4, Kind::kFloating},
    {"int64", 64, Kind::kIntegral},
    {"int32", 32, Kind::kIntegral},
    {"int16", 16, Kind::kIntegral},
    {"int8", 8, Kind::kIntegral},
    {"uint8", 8, Kind::kIntegral},
    {"bool", 8, Kind::kBool},
}};

const Row& row_of(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  if (index >= kRows.size()) throw Error("dtype number {} is none of the {} known ones", index, kRows.size());
  return kRows[index];
}

}  // namespace

std::size_t bits_of(DType dtype) { return row_of(dtype).bits; }

std::size_t bytes_of(DType dtype, std::size_t count) {
  const std::size_t bits = bits_of(dtype);
  if (bits < 8) return count / 2 + count % 2;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, bits / 8, &bytes))
    throw Error("{} elements of {} take more bytes than 64 bits can count", count, name_of(dtype));
  return bytes;
}

std::string_view name_of(DType dtype) { return row_of(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool is_floating(DType dtype) { return row_of(dtype).kind == Kind::kFloating; }
bool is_integral(DType dtype) { return row_of(dtype).kind == Kind::kIntegral; }

}  // namespace fib::tensor
