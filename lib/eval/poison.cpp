#include <algorithm>
#include <cstring>

#include "eval/compare.h"

namespace fib::eval {
namespace {

// A signalling NaN: exponent all ones, quiet bit 0, any sign, any payload but 0.
std::uint64_t signalling_nan(unsigned exponent_bits, unsigned mantissa_bits, std::uint64_t random) {
  const std::uint64_t exponent = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  const std::uint64_t sign = (random >> 63U) << (exponent_bits + mantissa_bits);
  const std::uint64_t payloads = (std::uint64_t{1} << (mantissa_bits - 1)) - 1;
  return sign | exponent | (1 + (random & ~(std::uint64_t{1} << 63U)) % payloads);
}

std::uint64_t poison_bits(tensor::DType dtype, std::uint64_t random) {
  switch (dtype) {
    case tensor::DType::kFloat64:
      return signalling_nan(11, 52, random);
    case tensor::DType::kFloat32:
      return signalling_nan(8, 23, random);
    case tensor::DType::kFloat16:
      return signalling_nan(5, 10, random);
    case tensor::DType::kBFloat16:
      return signalling_nan(8, 7, random);
    case tensor::DType::kFloat4E2M1:
      return (random & 15U) * 0x11U;  // both elements of the byte
    case tensor::DType::kBool:
      return 2 + random % 254;
    default:
      return random;
  }
}

}  // namespace

std::array<std::byte, 8> make_poison(tensor::DType dtype, std::uint64_t random) {
  const std::uint64_t bits = poison_bits(dtype, random);
  std::array<std::byte, 8> element{};
  std::memcpy(element.data(), &bits, tensor::bytes_of(dtype, 1));  // little-endian: the low bytes
  return element;
}

void fill_pattern(void* target, std::size_t bytes, const void* element, std::size_t element_bytes) {
  if (bytes == 0) return;
  auto* to = static_cast<std::byte*>(target);
  std::size_t done = std::min(bytes, element_bytes);
  std::memcpy(to, element, done);
  // Doubling up to a size that stays in the cache, then copies of that.
  constexpr std::size_t kLargest = 16384;
  while (done < bytes) {
    const std::size_t step = std::min({done, bytes - done, kLargest});
    std::memcpy(to + done, to, step);
    done += step;
  }
}

std::size_t count_unwritten(tensor::DType dtype, const std::byte* got, std::size_t count,
                            const void* poison_element) {
  constexpr std::size_t kStretch = 8;
  constexpr std::size_t kLeast = 4;
  const std::size_t bytes = tensor::bytes_of(dtype, count);
  const std::size_t stretch = std::min(kStretch, bytes);
  if (bytes < kLeast) return 0;
  std::byte poison[kStretch];
  fill_pattern(poison, kStretch, poison_element, tensor::bytes_of(dtype, 1));
  std::size_t unwritten = 0;
  for (std::size_t at = 0; at + stretch <= bytes; at += stretch) {
    if (std::memcmp(got + at, poison, stretch) == 0) unwritten += stretch * 8 / tensor::bits_of(dtype);
  }
  return unwritten;
}

std::string unwritten_remark(tensor::DType dtype, const std::byte* got, std::size_t index,
                             const std::byte* poison_element) {
  const bool same = element_bits(dtype, got, index) == element_bits(dtype, poison_element, 0);
  return same ? ", as if it was never written" : "";
}

}  // namespace fib::eval
