#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

#include "fib_torch/dtypes.h"

// Numbers whose type is known when the program runs.
namespace c10 {

// A number with its kind.
class Scalar {
 public:
  Scalar() : Scalar(std::int64_t{0}) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = kBool;
      integer_ = value ? 1 : 0;
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = kLong;
      integer_ = static_cast<std::int64_t>(value);
      // What is negative now is too large to be a signed number, and stays without a sign.
      is_large_ = std::is_unsigned_v<T> && integer_ < 0;
    } else {
      kind_ = kDouble;
      number_ = static_cast<double>(value);
    }
  }
  Scalar(Half value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  Scalar(BFloat16 value) : Scalar(static_cast<double>(static_cast<float>(value))) {}

  [[nodiscard]] ScalarType type() const {
    if (is_large_) detail::raise<Error>("fib's torch headers have no dtype UInt64, which this number has");
    return kind_;
  }
  [[nodiscard]] bool isFloatingPoint() const { return kind_ == kDouble; }
  [[nodiscard]] bool isIntegral(bool includeBool) const {
    return kind_ == kLong || (includeBool && kind_ == kBool);
  }
  [[nodiscard]] bool isBoolean() const { return kind_ == kBool; }
  // Throws std::runtime_error, as torch does, where T cannot hold it.
  template <typename T>
  [[nodiscard]] T to() const {
    if (kind_ == kDouble) return converted<T>(number_);
    return is_large_ ? converted<T>(static_cast<std::uint64_t>(integer_)) : converted<T>(integer_);
  }
  [[nodiscard]] double toDouble() const { return to<double>(); }
  [[nodiscard]] float toFloat() const { return to<float>(); }
  [[nodiscard]] std::int64_t toLong() const { return to<std::int64_t>(); }
  [[nodiscard]] int toInt() const { return to<int>(); }
  [[nodiscard]] bool toBool() const { return to<bool>(); }

 private:
  template <typename T, typename From>
  static T converted(From value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value != 0;
    } else {
      if (overflows<T>(value))
        throw std::runtime_error(
            str("value cannot be converted to type ", name_of<T>(), " without overflow"));
      if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<T>(value);
      } else {
        return T(static_cast<float>(value));
      }
    }
  }

  // Infinities go where there are some, and negative integers round the unsigned ones, as in torch.
  template <typename T, typename From>
  static bool overflows(From value) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<From>) {
      if (Limits::has_infinity && std::isinf(value)) return false;
      if (!Limits::has_quiet_NaN && std::isnan(value)) return true;
      return value < static_cast<From>(Limits::lowest()) || value > static_cast<From>(Limits::max());
    } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<From>) {
      return value > static_cast<std::uint64_t>(Limits::max());
    } else if constexpr (std::is_integral_v<T>) {
      if (std::is_unsigned_v<T> && value < 0)
        return -static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(Limits::max());
      return value < static_cast<From>(Limits::lowest()) || value > static_cast<From>(Limits::max());
    } else {
      const auto wide = static_cast<double>(value);
      return wide < static_cast<double>(Limits::lowest()) || wide > static_cast<double>(Limits::max());
    }
  }

  template <typename T>
  static const char* name_of() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return "uint8_t";
    if constexpr (std::is_same_v<T, std::int8_t>) return "int8_t";
    if constexpr (std::is_same_v<T, std::int16_t>) return "int16_t";
    if constexpr (std::is_same_v<T, int>) return "int";
    if constexpr (std::is_same_v<T, std::int64_t>) return "int64_t";
    if constexpr (std::is_same_v<T, float>) return "float";
    return TypeMeta::Make<T>().name();
  }

  ScalarType kind_ = kLong;
  bool is_large_ = false;
  union {
    std::int64_t integer_;
    double number_;
  };
};

inline std::ostream& operator<<(std::ostream& out, const Scalar& value) {
  if (value.isFloatingPoint()) return out << value.toDouble();
  if (value.isBoolean()) return out << (value.toBool() ? "true" : "false");
  return out << value.toLong();
}

}  // namespace c10
