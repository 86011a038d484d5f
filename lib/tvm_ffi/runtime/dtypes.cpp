#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "tvm_ffi/runtime/object.h"
#include "tvm_ffi/runtime/raise.h"

namespace fib::tvm_ffi {
namespace {

struct NamedCode {
  const char* name;
  DataTypeCode code;
  std::uint8_t bits;  // 0: they are written behind the name
};

// Longer names before those that they begin with.
constexpr NamedCode kCodes[] = {
    {"float8_e3m4", kFloat8E3M4, 8},
    {"float8_e4m3b11fnuz", kFloat8E4M3B11FNUZ, 8},
    {"float8_e4m3fnuz", kFloat8E4M3FNUZ, 8},
    {"float8_e4m3fn", kFloat8E4M3FN, 8},
    {"float8_e4m3", kFloat8E4M3, 8},
    {"float8_e5m2fnuz", kFloat8E5M2FNUZ, 8},
    {"float8_e5m2", kFloat8E5M2, 8},
    {"float8_e8m0fnu", kFloat8E8M0FNU, 8},
    {"float6_e2m3fn", kFloat6E2M3FN, 6},
    {"float6_e3m2fn", kFloat6E3M2FN, 6},
    {"float4_e2m1fn", kFloat4E2M1FN, 4},
    {"bfloat", kBfloat, 0},
    {"float", kFloat, 0},
    {"uint", kUInt, 0},
    {"int", kInt, 0},
    {"bool", kBool, 8},
    {"handle", kOpaqueHandle, 64},
};

std::string name_of(const DataType& dtype) {
  if (dtype.code == kOpaqueHandle && dtype.bits == 0 && dtype.lanes == 0) return "";
  std::string name = fmt::format("custom[{}]{}", dtype.code, dtype.bits);
  for (const auto& known : kCodes) {
    if (known.code != dtype.code) continue;
    name = known.bits == 0 ? fmt::format("{}{}", known.name, dtype.bits) : known.name;
  }
  if (dtype.lanes > 1) name += fmt::format("x{}", dtype.lanes);
  return name;
}

// A number at the beginning of `text`, which is taken off; `usual` where there is none.
unsigned take_number(std::string_view& text, unsigned usual) {
  unsigned number = usual;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

DataType parse(std::string_view whole) {
  if (whole.empty() || whole == "void") return {kOpaqueHandle, 0, 0};
  for (const auto& known : kCodes) {
    if (!whole.starts_with(known.name)) continue;
    auto rest = whole.substr(std::strlen(known.name));
    DataType dtype{known.code, known.bits, 1};
    const unsigned bits = known.bits == 0 ? take_number(rest, known.code == kBfloat ? 16 : 32) : known.bits;
    unsigned lanes = 1;
    if (rest.starts_with('x')) {
      rest.remove_prefix(1);
      lanes = take_number(rest, 0);
    }
    dtype.bits = static_cast<std::uint8_t>(bits);
    dtype.lanes = static_cast<std::uint16_t>(lanes);
    if (rest.empty() && bits > 0 && lanes > 0 && dtype.bits == bits && dtype.lanes == lanes) return dtype;
  }
  throw Raised("ValueError", fmt::format("unknown dtype `{}`", whole));
}

}  // namespace
}  // namespace fib::tvm_ffi

using namespace fib::tvm_ffi;

extern "C" {

int TVMFFIStringFromByteArray(const ByteArray* input, Any* out);

int TVMFFIDataTypeFromString(const ByteArray* text, DataType* out) {
  return guarded([&] { *out = parse({text->data, text->size}); });
}

int TVMFFIDataTypeToString(const DataType* dtype, Any* out) {
  return guarded([&] {
    const std::string name = name_of(*dtype);
    const ByteArray bytes{name.data(), name.size()};
    if (TVMFFIStringFromByteArray(&bytes, out) != 0) throw std::bad_alloc();
  });
}

}  // extern "C"
