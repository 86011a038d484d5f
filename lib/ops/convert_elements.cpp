#include "ops/convert_elements.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tensor/convert.h"
#include "tensor/vector_clones.h"

namespace fib::ops {
namespace {

// Enough for a block that stays in the first-level cache.
constexpr std::size_t kChunk = 1024;

template <typename From, typename To>
void cast_all(const void* source, void* target, std::size_t count) {
  const auto* from = static_cast<const From*>(source);
  auto* to = static_cast<To*>(target);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

void load_bools(const std::byte* source, std::int64_t* target, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) target[i] = source[i] != std::byte{0} ? 1 : 0;
}

template <typename From>
void is_not_zero(const From* source, void* target, std::size_t count) {
  auto* to = static_cast<std::uint8_t*>(target);
  for (std::size_t i = 0; i < count; ++i) to[i] = source[i] != From{0} ? 1 : 0;
}

// Floats become uint8 by way of int64, so that -1 becomes 255, as in torch.
template <typename From>
void store_bytes(const From* source, std::byte* target, std::size_t count) {
  constexpr From kLimit = From{0x1p62};
  for (std::size_t i = 0; i < count; ++i) {
    const bool inside = source[i] > -kLimit && source[i] < kLimit;
    target[i] = static_cast<std::byte>(static_cast<std::int64_t>(inside ? source[i] : From{0}));
  }
}

template <typename Size>
void copy_elements(const std::byte* source, std::int64_t from_stride, std::byte* target,
                   std::int64_t to_stride, std::int64_t count) {
  const auto* from = reinterpret_cast<const Size*>(source);
  auto* to = reinterpret_cast<Size*>(target);
  if (from_stride == 0 && to_stride == 1) {
    std::fill_n(to, count, *from);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
}

}  // namespace

void load_elements(DType dtype, const std::byte* source, float* target, std::size_t count) {
  tensor::to_float(dtype, source, target, count);
}

void load_elements(DType dtype, const std::byte* source, double* target, std::size_t count) {
  tensor::to_double(dtype, source, target, count);
}

FIB_VECTOR_CLONES
void load_elements(DType dtype, const std::byte* source, std::int64_t* target, std::size_t count) {
  switch (dtype) {
    case DType::kInt64:
      std::memcpy(target, source, count * sizeof(std::int64_t));
      return;
    case DType::kInt32:
      return cast_all<std::int32_t, std::int64_t>(source, target, count);
    case DType::kInt16:
      return cast_all<std::int16_t, std::int64_t>(source, target, count);
    case DType::kInt8:
      return cast_all<std::int8_t, std::int64_t>(source, target, count);
    case DType::kUInt8:
      return cast_all<std::uint8_t, std::int64_t>(source, target, count);
    case DType::kBool:
      return load_bools(source, target, count);
    default:
      break;
  }
  // Floats: first as doubles, which every float fits.
  std::array<double, kChunk> values;
  const std::size_t size = tensor::bits_of(dtype) / 8;
  for (std::size_t done = 0; done < count; done += kChunk) {
    const std::size_t part = std::min(kChunk, count - done);
    tensor::to_double(dtype, source + done * size, values.data(), part);
    tensor::from_double(DType::kInt64, values.data(), target + done, part);
  }
}

void store_elements(DType dtype, const float* source, std::byte* target, std::size_t count) {
  if (dtype == DType::kBool) return is_not_zero(source, target, count);
  if (dtype == DType::kUInt8) return store_bytes(source, target, count);
  tensor::from_float(dtype, source, target, count);
}

void store_elements(DType dtype, const double* source, std::byte* target, std::size_t count) {
  if (dtype == DType::kBool) return is_not_zero(source, target, count);
  if (dtype == DType::kUInt8) return store_bytes(source, target, count);
  tensor::from_double(dtype, source, target, count);
}

FIB_VECTOR_CLONES
void store_elements(DType dtype, const std::int64_t* source, std::byte* target, std::size_t count) {
  switch (dtype) {
    case DType::kInt64:
      std::memcpy(target, source, count * sizeof(std::int64_t));
      return;
    case DType::kInt32:
      return cast_all<std::int64_t, std::int32_t>(source, target, count);
    case DType::kInt16:
      return cast_all<std::int64_t, std::int16_t>(source, target, count);
    case DType::kInt8:
      return cast_all<std::int64_t, std::int8_t>(source, target, count);
    case DType::kUInt8:
      return cast_all<std::int64_t, std::uint8_t>(source, target, count);
    case DType::kBool:
      return is_not_zero(source, target, count);
    case DType::kFloat64:
      return cast_all<std::int64_t, double>(source, target, count);
    case DType::kFloat32:
      return cast_all<std::int64_t, float>(source, target, count);
    default:
      break;
  }
  std::array<float, kChunk> values;
  const std::size_t size = tensor::bits_of(dtype) / 8;
  for (std::size_t done = 0; done < count; done += kChunk) {
    const std::size_t part = std::min(kChunk, count - done);
    cast_all<std::int64_t, float>(source + done, values.data(), part);
    tensor::from_float(dtype, values.data(), target + done * size, part);
  }
}

void copy_strided(std::size_t size, const std::byte* from, std::int64_t from_stride, std::byte* to,
                  std::int64_t to_stride, std::int64_t count) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, size * static_cast<std::size_t>(count));
    return;
  }
  switch (size) {
    case 1:
      return copy_elements<std::uint8_t>(from, from_stride, to, to_stride, count);
    case 2:
      return copy_elements<std::uint16_t>(from, from_stride, to, to_stride, count);
    case 4:
      return copy_elements<std::uint32_t>(from, from_stride, to, to_stride, count);
    default:
      return copy_elements<std::uint64_t>(from, from_stride, to, to_stride, count);
  }
}

}  // namespace fib::ops
