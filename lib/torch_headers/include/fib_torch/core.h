#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "fib_torch/exception.h"
#include "fib_torch/small_floats.h"

// torch's small values: dtypes, devices, lists of sizes, numbers.
namespace c10 {

using std::nullopt;
using std::nullopt_t;
using std::optional;
template <typename T>
constexpr optional<std::decay_t<T>> make_optional(T&& value) {
  return optional<std::decay_t<T>>(std::forward<T>(value));
}

// Every dtype that the headers know: C++ type, name of the enumerator, its number in torch.
#define FIB_TORCH_DTYPES(_)                \
  _(std::uint8_t, Byte, 0)                 \
  _(std::int8_t, Char, 1)                  \
  _(std::int16_t, Short, 2)                \
  _(int, Int, 3)                           \
  _(std::int64_t, Long, 4)                 \
  _(c10::Half, Half, 5)                    \
  _(float, Float, 6)                       \
  _(double, Double, 7)                     \
  _(bool, Bool, 11)                        \
  _(c10::BFloat16, BFloat16, 15)           \
  _(c10::Float8_e5m2, Float8_e5m2, 23)     \
  _(c10::Float8_e4m3fn, Float8_e4m3fn, 24) \
  _(c10::Float4_e2m1fn_x2, Float4_e2m1fn_x2, 45)

enum class ScalarType : std::int8_t {
#define FIB_TORCH_ENUMERATOR(type, name, number) name = number,
  FIB_TORCH_DTYPES(FIB_TORCH_ENUMERATOR)
#undef FIB_TORCH_ENUMERATOR
      Undefined = 46,
};

#define FIB_TORCH_CONSTANT(type, name, number) constexpr ScalarType k##name = ScalarType::name;
FIB_TORCH_DTYPES(FIB_TORCH_CONSTANT)
#undef FIB_TORCH_CONSTANT

template <ScalarType N>
struct ScalarTypeToCPPType;
template <typename T>
struct CppTypeToScalarType;
#define FIB_TORCH_TRAITS(cpp, name, number)      \
  template <>                                    \
  struct ScalarTypeToCPPType<ScalarType::name> { \
    using type = cpp;                            \
  };                                             \
  template <>                                    \
  struct CppTypeToScalarType<cpp> : std::integral_constant<ScalarType, ScalarType::name> {};
FIB_TORCH_DTYPES(FIB_TORCH_TRAITS)
#undef FIB_TORCH_TRAITS
namespace impl {
using c10::ScalarTypeToCPPType;  // NOLINT(misc-unused-using-decls): its name in torch
template <ScalarType N>
using ScalarTypeToCPPTypeT = typename c10::ScalarTypeToCPPType<N>::type;
}  // namespace impl
template <ScalarType N>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<N>::type;

inline const char* toString(ScalarType dtype) {
  switch (dtype) {
#define FIB_TORCH_NAME(type, name, number) \
  case ScalarType::name:                   \
    return #name;
    FIB_TORCH_DTYPES(FIB_TORCH_NAME)
#undef FIB_TORCH_NAME
    default:
      return "UNKNOWN_SCALAR";
  }
}
inline std::ostream& operator<<(std::ostream& out, ScalarType dtype) { return out << toString(dtype); }

namespace detail {

template <typename T>
struct Type {
  using cpp = T;
};

// What `use` makes of the C++ type of a dtype, which it gets as a Type<T>.
template <typename Use>
auto with_type(ScalarType dtype, Use use) {
  switch (dtype) {
#define FIB_TORCH_USE(cpp, name, number) \
  case ScalarType::name:                 \
    return use(Type<cpp>());
    FIB_TORCH_DTYPES(FIB_TORCH_USE)
#undef FIB_TORCH_USE
    default:
      raise<Error>("Unknown ScalarType");
  }
}

}  // namespace detail

inline std::size_t elementSize(ScalarType dtype) {
  return detail::with_type(dtype, [](auto type) { return sizeof(typename decltype(type)::cpp); });
}

inline bool isFloat8Type(ScalarType dtype) { return dtype == kFloat8_e5m2 || dtype == kFloat8_e4m3fn; }
inline bool isReducedFloatingType(ScalarType dtype) {
  return dtype == kHalf || dtype == kBFloat16 || isFloat8Type(dtype) || dtype == kFloat4_e2m1fn_x2;
}
inline bool isFloatingType(ScalarType dtype) {
  return dtype == kFloat || dtype == kDouble || isReducedFloatingType(dtype);
}
inline bool isIntegralType(ScalarType dtype, bool includeBool) {
  if (dtype == kBool) return includeBool;
  return dtype == kByte || dtype == kChar || dtype == kShort || dtype == kInt || dtype == kLong;
}

// A dtype as Tensor::dtype() gives it: compares with ScalarType, prints as the C++ type.
class TypeMeta {
 public:
  TypeMeta() = default;
  TypeMeta(ScalarType dtype) : dtype_(dtype) {}
  [[nodiscard]] ScalarType toScalarType() const { return dtype_; }
  [[nodiscard]] std::size_t itemsize() const { return elementSize(dtype_); }
  [[nodiscard]] const char* name() const;
  template <typename T>
  static TypeMeta Make() {
    return TypeMeta(CppTypeToScalarType<T>::value);
  }
  template <typename T>
  [[nodiscard]] bool Match() const {
    return dtype_ == CppTypeToScalarType<T>::value;
  }
  friend bool operator==(TypeMeta a, TypeMeta b) { return a.dtype_ == b.dtype_; }
  friend bool operator!=(TypeMeta a, TypeMeta b) { return a.dtype_ != b.dtype_; }

 private:
  ScalarType dtype_ = ScalarType::Undefined;
};

inline const char* TypeMeta::name() const {
  switch (dtype_) {
    case kByte:
      return "unsigned char";
    case kChar:
      return "signed char";
    case kShort:
      return "short int";
    case kInt:
      return "int";
    case kLong:
      return "long int";
    case kFloat:
      return "float";
    case kDouble:
      return "double";
    case kBool:
      return "bool";
    case kHalf:
      return "c10::Half";
    case kBFloat16:
      return "c10::BFloat16";
    case kFloat8_e5m2:
      return "c10::Float8_e5m2";
    case kFloat8_e4m3fn:
      return "c10::Float8_e4m3fn";
    case kFloat4_e2m1fn_x2:
      return "c10::Float4_e2m1fn_x2";
    default:
      return "nullptr (uninitialized)";
  }
}
inline std::ostream& operator<<(std::ostream& out, TypeMeta dtype) { return out << dtype.name(); }
inline ScalarType typeMetaToScalarType(TypeMeta dtype) { return dtype.toScalarType(); }
inline TypeMeta scalarTypeToTypeMeta(ScalarType dtype) { return dtype; }

enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
using DeviceIndex = std::int8_t;

inline std::string DeviceTypeName(DeviceType type, bool lower_case = false) {
  if (type == kCUDA) return lower_case ? "cuda" : "CUDA";
  return lower_case ? "cpu" : "CPU";
}
inline std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << DeviceTypeName(type, true);
}

class Device {
 public:
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  Device(const std::string& text) : type_(kCPU) {
    const auto colon = text.find(':');
    const std::string name = text.substr(0, colon);
    if (name != "cpu" && name != "cuda")
      detail::raise<Error>("fib's torch headers know the devices cpu and cuda, not: " + text);
    if (name == "cuda") type_ = kCUDA;
    if (colon == std::string::npos) return;
    const std::string digits = text.substr(colon + 1);
    if (digits.empty() || digits.size() > 2 || digits.find_first_not_of("0123456789") != std::string::npos)
      detail::raise<Error>("Invalid device string: '" + text + "'");
    index_ = static_cast<DeviceIndex>(std::stoi(digits));
  }
  Device(const char* text) : Device(std::string(text)) {}

  [[nodiscard]] DeviceType type() const { return type_; }
  [[nodiscard]] DeviceIndex index() const { return index_; }
  [[nodiscard]] bool has_index() const { return index_ >= 0; }
  [[nodiscard]] bool is_cuda() const { return type_ == kCUDA; }
  [[nodiscard]] bool is_cpu() const { return type_ == kCPU; }
  [[nodiscard]] bool is_meta() const { return false; }
  [[nodiscard]] bool is_xpu() const { return false; }
  [[nodiscard]] bool is_mps() const { return false; }
  [[nodiscard]] bool is_hip() const { return false; }
  void set_index(DeviceIndex index) { index_ = index; }
  [[nodiscard]] std::string str() const {
    return DeviceTypeName(type_, true) + (has_index() ? ":" + std::to_string(index_) : "");
  }
  friend bool operator==(const Device& a, const Device& b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }

 private:
  DeviceType type_;
  DeviceIndex index_ = -1;
};
inline std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

enum class Layout : std::int8_t { Strided };
constexpr Layout kStrided = Layout::Strided;
inline std::ostream& operator<<(std::ostream& out, Layout /*layout*/) { return out << "Strided"; }

enum class MemoryFormat : std::int8_t { Contiguous, Preserve };
inline std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
  return out << (format == MemoryFormat::Contiguous ? "Contiguous" : "Preserve");
}

// Somebody's elements, one after the other. Owns nothing.
template <typename T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = std::size_t;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end)
      : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
  template <typename Allocator>
  ArrayRef(const std::vector<T, Allocator>& vector) : data_(vector.data()), size_(vector.size()) {
    static_assert(!std::is_same_v<T, bool>, "a vector of bools has no elements in memory");
  }
  template <std::size_t N>
  constexpr ArrayRef(const std::array<T, N>& array) : data_(array.data()), size_(N) {}
  template <std::size_t N>
  constexpr ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Winit-list-lifetime"  // it is for arguments of calls, whose lists outlive them
  constexpr ArrayRef(const std::initializer_list<T>& list) : data_(list.begin()), size_(list.size()) {}
#pragma GCC diagnostic pop

  [[nodiscard]] constexpr iterator begin() const { return data_; }
  [[nodiscard]] constexpr iterator end() const { return data_ + size_; }
  [[nodiscard]] constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
  [[nodiscard]] constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr const T* data() const { return data_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] const T& at(std::size_t index) const {
    TORCH_CHECK(index < size_, "ArrayRef: invalid index Index = ", index, "; Length = ", size_);
    return data_[index];
  }
  [[nodiscard]] const T& front() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access front() of empty list");
    return data_[0];
  }
  [[nodiscard]] const T& back() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access back() of empty list");
    return data_[size_ - 1];
  }
  [[nodiscard]] bool equals(ArrayRef other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  [[nodiscard]] ArrayRef slice(std::size_t begin, std::size_t count) const {
    TORCH_CHECK(begin + count <= size_, "ArrayRef: invalid slice, N = ", begin, "; M = ", count,
                "; size = ", size_);
    return ArrayRef(data_ + begin, count);
  }
  [[nodiscard]] ArrayRef slice(std::size_t begin) const { return slice(begin, size_ - begin); }
  [[nodiscard]] std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}
template <typename T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator!=(const std::vector<T>& a, ArrayRef<T> b) {
  return !ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, const std::vector<T>& b) {
  return !a.equals(b);
}

template <typename T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> list) {
  out << "[";
  for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
  return out << "]";
}

using IntArrayRef = ArrayRef<std::int64_t>;
using OptionalIntArrayRef = optional<IntArrayRef>;

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
    } else {
      kind_ = kDouble;
      number_ = static_cast<double>(value);
    }
  }
  Scalar(Half value) : Scalar(static_cast<double>(static_cast<float>(value))) {}
  Scalar(BFloat16 value) : Scalar(static_cast<double>(static_cast<float>(value))) {}

  [[nodiscard]] ScalarType type() const { return kind_; }
  [[nodiscard]] bool isFloatingPoint() const { return kind_ == kDouble; }
  [[nodiscard]] bool isIntegral(bool includeBool) const {
    return kind_ == kLong || (includeBool && kind_ == kBool);
  }
  [[nodiscard]] bool isBoolean() const { return kind_ == kBool; }
  // Throws std::runtime_error, as torch does, where T cannot hold it.
  template <typename T>
  [[nodiscard]] T to() const {
    return kind_ == kDouble ? converted<T>(number_) : converted<T>(integer_);
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

namespace at {

using namespace c10;
namespace impl = c10::impl;
// NOLINTBEGIN(misc-unused-using-decls): names that sources write with at::
using c10::ArrayRef;
using c10::BFloat16;
using c10::Half;
using c10::IntArrayRef;
using c10::nullopt;
using c10::optional;
using c10::Scalar;
using c10::ScalarType;
// NOLINTEND(misc-unused-using-decls)

constexpr ScalarType kUInt8 = c10::kByte;
constexpr ScalarType kInt8 = c10::kChar;
constexpr ScalarType kInt16 = c10::kShort;
constexpr ScalarType kInt32 = c10::kInt;
constexpr ScalarType kInt64 = c10::kLong;
constexpr ScalarType kFloat16 = c10::kHalf;
constexpr ScalarType kFloat32 = c10::kFloat;
constexpr ScalarType kFloat64 = c10::kDouble;

// What sums of a type are kept in.
template <typename T>
struct OpMathType {
  using type = T;
};
#define FIB_TORCH_WIDER(narrow) \
  template <>                   \
  struct OpMathType<narrow> {   \
    using type = float;         \
  };
FIB_TORCH_WIDER(c10::Half)
FIB_TORCH_WIDER(c10::BFloat16)
FIB_TORCH_WIDER(c10::Float8_e5m2)
FIB_TORCH_WIDER(c10::Float8_e4m3fn)
#undef FIB_TORCH_WIDER
template <typename T>
using opmath_type = typename OpMathType<T>::type;

template <typename T, bool is_cuda>
struct AccumulateType {
  using integral = std::conditional_t<std::is_same_v<T, bool>, bool, std::int64_t>;
  using floating = std::conditional_t<std::is_same_v<T, float> && !is_cuda, double, opmath_type<T>>;
  using type = std::conditional_t<std::is_integral_v<T>, integral, floating>;
};
template <typename T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

}  // namespace at
