#include "eval/null_answers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tensor/convert.h"

namespace fib::eval {
namespace {

using tensor::DType;

constexpr std::size_t kBlock = 4096;

// The dtype in which a slot's elements lie in the buffer.
DType stored_dtype(const Slot& slot) {
  if (!slot.scalar) return slot.dtype;
  return tensor::is_floating(slot.dtype) ? DType::kFloat64 : DType::kInt64;
}

void write_constant(const Slot& slot, double value, std::byte* outputs) {
  const DType dtype = stored_dtype(slot);
  const std::vector<double> values(std::min<std::size_t>(slot.count(), kBlock), value);
  const std::size_t block_bytes = tensor::bytes_of(dtype, kBlock);
  std::size_t left = slot.count();
  for (std::byte* at = outputs + slot.offset; left > 0; at += block_bytes) {
    const std::size_t count = std::min(left, kBlock);
    tensor::from_double(dtype, values.data(), at, count);
    left -= count;
  }
}

// Of the finite elements; 0 where there is none.
double mean_of(const Slot& slot, const std::byte* buffer) {
  const DType dtype = stored_dtype(slot);
  std::vector<double> values(std::min<std::size_t>(slot.count(), kBlock));
  double sum = 0;
  std::size_t finite = 0;
  const std::size_t block_bytes = tensor::bytes_of(dtype, kBlock);
  std::size_t left = slot.count();
  for (const std::byte* at = buffer + slot.offset; left > 0; at += block_bytes) {
    const std::size_t count = std::min(left, kBlock);
    tensor::to_double(dtype, at, values.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i])) continue;
      sum += values[i];
      ++finite;
    }
    left -= count;
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

// Whether all elements have the same bits.
bool is_constant(const Slot& slot, const std::byte* buffer) {
  const DType dtype = stored_dtype(slot);
  const std::byte* begin = buffer + slot.offset;
  const std::size_t bytes = tensor::bytes_of(dtype, slot.count());
  const std::size_t element = std::max<std::size_t>(1, tensor::bits_of(dtype) / 8);
  const bool is_even = dtype != DType::kFloat4E2M1 || (*begin & std::byte{0x0f}) == (*begin >> 4U);
  return bytes >= element && is_even && std::memcmp(begin, begin + element, bytes - element) == 0;
}

void write_mean(const Slot& slot, const std::byte* expected, std::byte* outputs) {
  if (slot.count() == 0) return;
  if (is_constant(slot, expected)) {
    std::memcpy(outputs + slot.offset, expected + slot.offset, slot.bytes);
    return;
  }
  const double mean = mean_of(slot, expected);
  const bool is_truth = stored_dtype(slot) == DType::kBool;
  const bool is_whole = tensor::is_integral(stored_dtype(slot));
  write_constant(slot, is_truth || is_whole ? std::round(mean) : mean, outputs);
}

void write_first(const Slot& slot, const std::byte* expected, std::byte* outputs) {
  write_constant(slot, 0, outputs);
  if (slot.count() == 0) return;
  const DType dtype = stored_dtype(slot);
  const std::byte* from = expected + slot.offset;
  if (dtype == DType::kFloat4E2M1) {
    outputs[slot.offset] = *from & std::byte{0x0f};
  } else {
    std::memcpy(outputs + slot.offset, from, tensor::bytes_of(dtype, 1));
  }
}

bool is_like(const Slot& input, const Slot& output) {
  return input.scalar == output.scalar && input.dtype == output.dtype && input.shape == output.shape;
}

std::size_t equal_bytes(const std::byte* a, const std::byte* b, std::size_t count) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < count; ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal;
}

// `expected` may be null: then the first one that is like the output.
bool write_input(const Layout& layout, const Slot& output, const std::byte* inputs, const std::byte* expected,
                 std::byte* outputs) {
  const Slot* best = nullptr;
  std::size_t most = 0;
  for (const Slot& input : layout.inputs) {
    if (!is_like(input, output)) continue;
    const std::size_t equal =
        expected == nullptr ? 0 : equal_bytes(inputs + input.offset, expected + output.offset, output.bytes);
    if (best != nullptr && equal <= most) continue;
    best = &input;
    most = equal;
  }
  if (best == nullptr) return false;
  std::memcpy(outputs + output.offset, inputs + best->offset, output.bytes);
  return true;
}

// Rounds the significand to nearest by dropping `dropped` bits. What is too large becomes infinite, as any
// arithmetic would have it; infinities and NaN, whose exponent has all bits set, stay as they are.
template <typename Bits>
void round_all(std::byte* at, std::size_t count, Bits exponent, unsigned dropped) {
  const auto half = static_cast<Bits>(Bits{1} << (dropped - 1));
  const auto kept = static_cast<Bits>(~((Bits{1} << dropped) - 1));
  for (std::size_t i = 0; i < count; ++i, at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, at, sizeof bits);
    if ((bits & exponent) == exponent) continue;
    bits = static_cast<Bits>((bits + half) & kept);
    std::memcpy(at, &bits, sizeof bits);
  }
}

// Whether the dtype has a smaller one.
bool round_slot(const Slot& slot, std::byte* inputs) {
  std::byte* at = inputs + slot.offset;
  switch (slot.dtype) {
    case DType::kFloat64:
      round_all<std::uint64_t>(at, slot.count(), 0x7ff0'0000'0000'0000, 52 - 23);
      return true;
    case DType::kFloat32:
      round_all<std::uint32_t>(at, slot.count(), 0x7f80'0000, 23 - 7);
      return true;
    case DType::kFloat16:
      round_all<std::uint16_t>(at, slot.count(), 0x7c00, 10 - 3);
      return true;
    case DType::kBFloat16:
      round_all<std::uint16_t>(at, slot.count(), 0x7f80, 7 - 3);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool write_null_answer(NullAnswer answer, const Layout& layout, std::size_t index, const std::byte* inputs,
                       const std::byte* expected, const std::byte* lowered, std::byte* outputs) {
  const Slot& slot = layout.outputs[index];
  switch (answer) {
    case NullAnswer::kZeros:
      write_constant(slot, 0, outputs);
      return true;
    case NullAnswer::kOnes:
      write_constant(slot, 1, outputs);
      return true;
    case NullAnswer::kInputCopy:
      return inputs != nullptr && write_input(layout, slot, inputs, expected, outputs);
    case NullAnswer::kConstantMean:
      if (expected != nullptr) write_mean(slot, expected, outputs);
      return expected != nullptr;
    case NullAnswer::kFirstElement:
      if (expected != nullptr) write_first(slot, expected, outputs);
      return expected != nullptr;
    case NullAnswer::kLowerPrecision:
      break;
  }
  if (expected == nullptr || lowered == nullptr) return false;
  if (std::memcmp(expected + slot.offset, lowered + slot.offset, slot.bytes) == 0) return false;
  std::memcpy(outputs + slot.offset, lowered + slot.offset, slot.bytes);
  return true;
}

bool lower_precision(const Layout& layout, std::byte* inputs) {
  bool is_any = false;
  for (const Slot& slot : layout.inputs) {
    if (!slot.scalar && round_slot(slot, inputs)) is_any = true;
  }
  return is_any;
}

}  // namespace fib::eval
