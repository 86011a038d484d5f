#pragma once

#include "fib_torch/tensor.h"

// A function for each of several dtypes, chosen when it runs: AT_DISPATCH_FLOATING_TYPES(dtype, "name", [&] {
// … scalar_t … }).
namespace at::detail {
inline ScalarType dispatched(ScalarType dtype) { return dtype; }
inline ScalarType dispatched(const DeprecatedTypeProperties& type) { return type.scalarType(); }
[[noreturn]] inline void not_dispatched(const char* name, ScalarType dtype) {
  raise<NotImplementedError>(str('"', name, "\" not implemented for '", dtype, "'"));
}
}  // namespace at::detail

#define AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, HINT, ...)             \
  case enum_type: {                                                       \
    using HINT [[maybe_unused]] = ::c10::ScalarTypeToCPPTypeT<enum_type>; \
    return __VA_ARGS__();                                                 \
  }
#define AT_DISPATCH_CASE(enum_type, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                        \
  [&] {                                                                            \
    const auto& the_type = TYPE;                                                   \
    const char* at_dispatch_name = NAME;                                           \
    const ::c10::ScalarType dispatched_dtype = ::at::detail::dispatched(the_type); \
    switch (dispatched_dtype) {                                                    \
      __VA_ARGS__                                                                  \
      default:                                                                     \
        ::at::detail::not_dispatched(at_dispatch_name, dispatched_dtype);          \
    }                                                                              \
  }()

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)               \
  AT_DISPATCH_CASE(::c10::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)        \
  AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)     \
  AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)             \
  AT_DISPATCH_CASE(::c10::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::c10::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)        \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))

#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))

#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))

#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))

#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))

// With further dtypes.
#define AT_DISPATCH_FLOATING_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                            \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(T1, T2, TYPE, NAME, ...)                                    \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                                    \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...)                                \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                                    \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__) AT_DISPATCH_CASE(T3, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND4(T1, T2, T3, T4, TYPE, NAME, ...)                            \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                                    \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__) AT_DISPATCH_CASE(T3, __VA_ARGS__)        \
                             AT_DISPATCH_CASE(T4, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND5(T1, T2, T3, T4, T5, TYPE, NAME, ...)                        \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                                    \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__) AT_DISPATCH_CASE(T3, __VA_ARGS__)        \
                             AT_DISPATCH_CASE(T4, __VA_ARGS__) AT_DISPATCH_CASE(T5, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(T1, T2, TYPE, NAME, ...)                                    \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                               \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...)                                \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                               \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__) AT_DISPATCH_CASE(T3, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND4(T1, T2, T3, T4, TYPE, NAME, ...)                            \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                               \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__) AT_DISPATCH_CASE(T3, __VA_ARGS__)   \
                             AT_DISPATCH_CASE(T4, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND5(T1, T2, T3, T4, T5, TYPE, NAME, ...)                        \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                               \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__) AT_DISPATCH_CASE(T3, __VA_ARGS__)   \
                             AT_DISPATCH_CASE(T4, __VA_ARGS__) AT_DISPATCH_CASE(T5, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                            \
                     AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__))

// Index types, as index_t.
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                                   \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                                   \
                     AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::ScalarType::Int, index_t, __VA_ARGS__) \
                         AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::ScalarType::Long, index_t, __VA_ARGS__))
