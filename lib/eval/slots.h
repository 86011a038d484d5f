#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eval/layout.h"

// Access by name and element to what lies in a buffer, for rules of judging that look at inputs.
namespace fib::eval {

// Throws Error naming the rule when there is no such input.
[[nodiscard]] const Slot& input_slot(const Layout& layout, std::string_view name, std::string_view rule);

// Element `index` of the integers at `data`, which are of a whole-number dtype; unsigned ones by value.
[[nodiscard]] std::int64_t integer_at(tensor::DType dtype, const std::byte* data, std::size_t index);

// Element `index` of an input in the whole input buffer, as a number; of scalars and of tensors with one
// element that one, whatever the index. Floats are cut to integers, and what is beyond int64 is the nearest.
[[nodiscard]] std::int64_t integer_value(const Slot& slot, const std::byte* inputs, std::size_t index);
[[nodiscard]] double real_value(const Slot& slot, const std::byte* inputs, std::size_t index);

}  // namespace fib::eval
