#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <type_traits>

#include "fib_torch/exception.h"
#include "fib_torch/small_floats.h"

// Dtypes, as ScalarType and as TypeMeta.
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

}  // namespace c10
