#include "eval/slots.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "eval/compare.h"
#include "tensor/convert.h"
#include "util/error.h"

namespace fib::eval {
namespace {

std::int64_t to_integer(double value) {
  constexpr double kLimit = 9.2e18;  // doubles beyond round to 2^63
  return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -kLimit, kLimit));
}

double number_at(tensor::DType dtype, const std::byte* data, std::size_t index) {
  const std::uint64_t element = element_bits(dtype, data, index);
  double value = 0;
  tensor::to_double(dtype, &element, &value, 1);
  return value;
}

template <typename T>
T scalar_at(const std::byte* data) {
  T value{};
  std::memcpy(&value, data, sizeof value);
  return value;
}

std::size_t element_of(const Slot& slot, std::size_t index) { return slot.count() == 1 ? 0 : index; }

}  // namespace

const Slot& input_slot(const Layout& layout, std::string_view name, std::string_view rule) {
  const auto found = std::find_if(layout.inputs.begin(), layout.inputs.end(),
                                  [&](const Slot& slot) { return slot.name == name; });
  if (found == layout.inputs.end())
    throw Error("rule {}: the definition has no input \"{}\", which the rule needs", rule, name);
  return *found;
}

std::int64_t integer_at(tensor::DType dtype, const std::byte* data, std::size_t index) {
  if (dtype == tensor::DType::kInt64) return static_cast<std::int64_t>(element_bits(dtype, data, index));
  return to_integer(number_at(dtype, data, index));  // 32 bits and less are exact as double
}

std::int64_t integer_value(const Slot& slot, const std::byte* inputs, std::size_t index) {
  const std::byte* data = inputs + slot.offset;
  const bool real = tensor::is_floating(slot.dtype);
  if (slot.scalar) return real ? to_integer(scalar_at<double>(data)) : scalar_at<std::int64_t>(data);
  return real ? to_integer(number_at(slot.dtype, data, element_of(slot, index)))
              : integer_at(slot.dtype, data, element_of(slot, index));
}

double real_value(const Slot& slot, const std::byte* inputs, std::size_t index) {
  const std::byte* data = inputs + slot.offset;
  if (slot.scalar) {
    return tensor::is_floating(slot.dtype) ? scalar_at<double>(data)
                                           : static_cast<double>(scalar_at<std::int64_t>(data));
  }
  return number_at(slot.dtype, data, element_of(slot, index));
}

}  // namespace fib::eval
