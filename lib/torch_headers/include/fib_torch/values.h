#pragma once

#include <tuple>
#include <type_traits>

#include "fib_torch/data.h"

// Values of calls, and how arguments become those of C++ functions.
namespace pybind11 {

namespace abi = fib::tvm_ffi;

// A value of a call: a tensor, a number, a bool, a string, or nothing. Lives as long as the call.
class object {
 public:
  object() = default;
  explicit object(const abi::Any& value) : value_(value) {}
  template <typename T>
  [[nodiscard]] T cast() const;
  [[nodiscard]] bool is_none() const { return value_.type_index == abi::kTypeNone; }
  [[nodiscard]] const abi::Any& value() const { return value_; }

 private:
  abi::Any value_;
};
using handle = object;

struct none : object {};

class error_already_set : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
#define FIB_TORCH_PYTHON_ERROR(Name)         \
  class Name : public std::runtime_error {   \
   public:                                   \
    using std::runtime_error::runtime_error; \
  };
FIB_TORCH_PYTHON_ERROR(value_error)
FIB_TORCH_PYTHON_ERROR(type_error)
FIB_TORCH_PYTHON_ERROR(index_error)
FIB_TORCH_PYTHON_ERROR(key_error)
FIB_TORCH_PYTHON_ERROR(cast_error)
#undef FIB_TORCH_PYTHON_ERROR

// All positional arguments from one on, and those by name, of which there are none.
class args {
 public:
  args() = default;
  explicit args(std::vector<object> values) : values_(std::move(values)) {}
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] const object& operator[](std::size_t index) const {
    if (index >= values_.size()) throw index_error("tuple index out of range");
    return values_[index];
  }
  explicit operator bool() const { return true; }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

 private:
  std::vector<object> values_;
};

class kwargs {
 public:
  [[nodiscard]] std::size_t size() const { return 0; }
  [[nodiscard]] bool empty() const { return true; }
  explicit operator bool() const { return true; }
  [[nodiscard]] bool contains(const char* /*name*/) const { return false; }
  [[nodiscard]] object operator[](const char* name) const { throw key_error(name); }
};

namespace detail {

// What converts an argument to T: `from` gives nothing where it does not fit. Without `convert` an argument
// must be of the kind itself. `name` is for messages.
template <typename T, typename = void>
struct Caster {
  static_assert(sizeof(T) == 0, "fib's torch headers have no parameters of this type");
  static constexpr const char* name = "object";
  static std::optional<T> from(const abi::Any& /*value*/, bool /*convert*/) { return std::nullopt; }
};

template <>
struct Caster<at::Tensor> {
  static constexpr const char* name = "torch.Tensor";
  static std::optional<at::Tensor> from(const abi::Any& value, bool /*convert*/) {
    if (value.type_index != abi::kTypeTensor) return std::nullopt;
    return tensor_of(value.object);
  }

 private:
  static at::Tensor tensor_of(abi::Object* object) {
    const auto& view = static_cast<const abi::TensorObject*>(object)->cell;
    auto impl = std::make_shared<at::detail::TensorImpl>();
    impl->dtype = at::detail::dtype_of(view.dtype);
    impl->sizes.assign(view.shape, view.shape + view.ndim);
    if (impl->dtype == at::ScalarType::Float4_e2m1fn_x2 && !impl->sizes.empty()) impl->sizes.back() /= 2;
    impl->strides = at::detail::contiguous_strides(impl->sizes);
    const bool cuda = view.device.type == abi::kCuda;
    static_cast<void>(TVMFFIObjectIncRef(object));
    impl->storage = std::make_shared<at::detail::Storage>(
        static_cast<std::byte*>(view.data) + view.byte_offset,
        static_cast<std::size_t>(at::detail::product(impl->sizes)) * at::elementSize(impl->dtype),
        cuda ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(view.device.id)) : at::Device(at::kCPU),
        [object] { static_cast<void>(TVMFFIObjectDecRef(object)); });
    return at::Tensor(std::move(impl));
  }
};

// The number in a tensor that has one element.
inline std::optional<at::Scalar> number_in(const abi::Any& value) {
  const auto tensor = Caster<at::Tensor>::from(value, false);
  if (!tensor || tensor->numel() != 1 || tensor->scalar_type() == at::ScalarType::Float4_e2m1fn_x2)
    return std::nullopt;
  return tensor->item();
}

template <>
struct Caster<bool> {
  static constexpr const char* name = "bool";
  static std::optional<bool> from(const abi::Any& value, bool convert) {
    if (value.type_index == abi::kTypeBool) return value.integer != 0;
    if (!convert) return std::nullopt;
    if (value.type_index == abi::kTypeNone) return false;
    if (value.type_index == abi::kTypeInt) return value.integer != 0;
    if (value.type_index == abi::kTypeFloat) return value.number != 0;
    const auto number = number_in(value);
    return number ? std::optional<bool>(number->toBool()) : std::nullopt;
  }
};

// Characters are texts in Python, no numbers.
template <typename T>
constexpr bool is_character = std::is_same_v<T, char> || std::is_same_v<T, wchar_t> ||
                              std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <typename T>
struct Caster<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T>>> {
  static constexpr const char* name = "int";
  static std::optional<T> from(const abi::Any& value, bool convert) {
    if (value.type_index == abi::kTypeInt || value.type_index == abi::kTypeBool)
      return fitting(value.integer);
    const auto number = number_in(value);
    if (!number) return std::nullopt;
    if (!number->isFloatingPoint()) return fitting(number->toLong());
    // As int(number) does in Python, which knows no NaN and no infinity.
    constexpr double kBound = 9223372036854775808.0;
    const double whole = std::trunc(number->toDouble());
    if (!convert || !(whole >= -kBound && whole < kBound)) return std::nullopt;
    return fitting(static_cast<std::int64_t>(whole));
  }

 private:
  static std::optional<T> fitting(std::int64_t integer) {
    if constexpr (std::is_unsigned_v<T>) {
      if (integer < 0) return std::nullopt;
      if (static_cast<std::uint64_t>(integer) > std::numeric_limits<T>::max()) return std::nullopt;
    } else {
      if (integer < std::numeric_limits<T>::min() || integer > std::numeric_limits<T>::max())
        return std::nullopt;
    }
    return static_cast<T>(integer);
  }
};

template <typename T>
struct Caster<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr const char* name = "float";
  static std::optional<T> from(const abi::Any& value, bool convert) {
    if (value.type_index == abi::kTypeFloat) return static_cast<T>(value.number);
    if (!convert) return std::nullopt;
    if (value.type_index == abi::kTypeInt || value.type_index == abi::kTypeBool)
      return static_cast<T>(value.integer);
    const auto number = number_in(value);
    return number ? std::optional<T>(static_cast<T>(number->toDouble())) : std::nullopt;
  }
};

template <>
struct Caster<std::string> {
  static constexpr const char* name = "str";
  static std::optional<std::string> from(const abi::Any& value, bool /*convert*/) {
    if (value.type_index == abi::kTypeRawString) return std::string(static_cast<const char*>(value.pointer));
    return std::nullopt;
  }
};

template <>
struct Caster<object> {
  static constexpr const char* name = "object";
  static std::optional<object> from(const abi::Any& value, bool /*convert*/) { return object(value); }
};

template <typename T>
struct Caster<std::optional<T>> {
  static constexpr const char* name = "Optional";
  static std::optional<std::optional<T>> from(const abi::Any& value, bool convert) {
    if (value.type_index == abi::kTypeNone) return std::optional<std::optional<T>>(std::in_place);
    auto inner = Caster<T>::from(value, convert);
    if (!inner) return std::nullopt;
    return std::optional<std::optional<T>>(std::in_place, std::move(*inner));
  }
};

// A number, a text or nothing as a value of a call: a default of a parameter, or a result.
template <typename T>
abi::Any any_of(const T& value) {
  abi::Any made;
  if constexpr (std::is_same_v<T, bool>) {
    made.type_index = abi::kTypeBool;
    made.integer = value ? 1 : 0;
  } else if constexpr (std::is_integral_v<T> && !is_character<T>) {
    made.type_index = abi::kTypeInt;
    made.integer = static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    made.type_index = abi::kTypeFloat;
    made.number = static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, std::nullopt_t> || std::is_same_v<T, none>) {
    made.type_index = abi::kTypeNone;
  } else if constexpr (std::is_convertible_v<T, const char*>) {
    made.type_index = abi::kTypeRawString;
    made.pointer = const_cast<char*>(static_cast<const char*>(value));
  } else {
    static_assert(std::is_same_v<T, none>,
                  "fib's torch headers have no values of this type for arguments and results");
  }
  return made;
}
template <typename T>
abi::Any any_of(const std::optional<T>& value) {
  return value ? any_of(*value) : any_of(std::nullopt);
}

}  // namespace detail

template <typename T>
T object::cast() const {
  auto value = detail::Caster<std::decay_t<T>>::from(value_, true);
  if (!value) throw cast_error("Unable to cast Python instance to C++ type");
  return std::move(*value);
}

}  // namespace pybind11
