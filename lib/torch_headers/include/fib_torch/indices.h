#pragma once

#include "fib_torch/core.h"

// What stands between brackets in Python, without tensors: a number, a range, None, "...".
namespace at::indexing {

enum class TensorIndexType { None, Ellipsis, Integer, Slice };
constexpr TensorIndexType None = TensorIndexType::None;
constexpr TensorIndexType Ellipsis = TensorIndexType::Ellipsis;

struct Slice {
  explicit Slice(optional<std::int64_t> first = nullopt, optional<std::int64_t> last = nullopt,
                 optional<std::int64_t> by = nullopt)
      : begin(first), end(last), step(by.value_or(1)) {
    TORCH_CHECK_VALUE(step != 0, "slice step cannot be zero");
  }
  Slice(TensorIndexType /*none*/, optional<std::int64_t> last, optional<std::int64_t> by = nullopt)
      : Slice(optional<std::int64_t>(), last, by) {}
  Slice(std::int64_t first, TensorIndexType /*none*/, optional<std::int64_t> by = nullopt)
      : Slice(optional<std::int64_t>(first), nullopt, by) {}
  Slice(TensorIndexType /*none*/, TensorIndexType /*none*/, optional<std::int64_t> by = nullopt)
      : Slice(optional<std::int64_t>(), nullopt, by) {}
  optional<std::int64_t> begin;
  optional<std::int64_t> end;
  std::int64_t step;
};

struct TensorIndex {
  TensorIndex(TensorIndexType kind) : type(kind) {}
  TensorIndex(nullopt_t /*none*/) : type(None) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
  TensorIndex(T index) : type(TensorIndexType::Integer), integer(static_cast<std::int64_t>(index)) {}
  TensorIndex(const char* text) : type(Ellipsis) {
    TORCH_CHECK_VALUE(std::string(text) == "...",
                      "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
  }
  TensorIndex(Slice range) : type(TensorIndexType::Slice), slice(range) {}
  TensorIndexType type;
  std::int64_t integer = 0;
  Slice slice{};
};

}  // namespace at::indexing
