#pragma once

#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

// Errors and checks. Each kind of error carries the name of the Python exception that torch makes of it; the
// message is torch's, without the C++ backtrace that torch appends to what().
namespace c10 {

class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] const char* what_without_backtrace() const noexcept { return message_.c_str(); }
  [[nodiscard]] const std::string& msg() const { return message_; }
  [[nodiscard]] virtual const char* python_name() const noexcept { return "RuntimeError"; }

 private:
  std::string message_;
};

#define FIB_TORCH_ERROR(Name, python, Base)                                            \
  class Name : public Base {                                                           \
   public:                                                                             \
    using Base::Base;                                                                  \
    [[nodiscard]] const char* python_name() const noexcept override { return python; } \
  };
FIB_TORCH_ERROR(IndexError, "IndexError", Error)
FIB_TORCH_ERROR(ValueError, "ValueError", Error)
FIB_TORCH_ERROR(TypeError, "TypeError", Error)
FIB_TORCH_ERROR(NotImplementedError, "NotImplementedError", Error)
FIB_TORCH_ERROR(OutOfMemoryError, "torch.OutOfMemoryError", Error)
FIB_TORCH_ERROR(CUDAError, "torch.AcceleratorError", Error)
#undef FIB_TORCH_ERROR

// All arguments, one after the other, as streams print them.
template <typename... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream text;
  static_cast<void>((text << ... << parts));
  return text.str();
}

namespace detail {

template <typename... Parts>
std::string check_message(const char* /*otherwise*/, const Parts&... parts) {
  return str(parts...);
}
inline std::string check_message(const char* otherwise) { return otherwise; }

template <typename Kind>
[[noreturn]] void raise(std::string message) {
  throw Kind(std::move(message));
}

template <typename... Parts>
void warn(const char* function, const char* file, int line, const Parts&... parts) {
  const std::string text =
      str("[W ", file, ":", line, "] Warning: ", parts..., " (function ", function, ")\n");
  std::fputs(text.c_str(), stderr);
}

}  // namespace detail
}  // namespace c10

#define C10_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 1))
#define C10_UNLIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 0))
#define C10_UNUSED __attribute__((__unused__))
#define C10_ALWAYS_INLINE __attribute__((__always_inline__)) inline
#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_UNUSED_DISPATCH_CUDA_WORKAROUND [[maybe_unused]]
#define C10_RESTRICT __restrict
#define C10_NOINLINE __attribute__((noinline))
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_WARP_SIZE 32
#define C10_API
#define C10_EXPORT
#define TORCH_API
#define TORCH_CUDA_CU_API
#define TORCH_CUDA_CPP_API

#define TORCH_CHECK_WITH_MSG(kind, condition, type, ...)                                                \
  if (C10_UNLIKELY(!(condition))) {                                                                     \
    ::c10::detail::raise<kind>(::c10::detail::check_message(                                            \
        "Expected " #condition                                                                          \
        " to be true, but got false.  (Could this error message be improved?  If so, please report an " \
        "enhancement request to PyTorch.)",                                                             \
        ##__VA_ARGS__));                                                                                \
  }
#define TORCH_CHECK(condition, ...) TORCH_CHECK_WITH_MSG(::c10::Error, condition, "", ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) \
  TORCH_CHECK_WITH_MSG(::c10::IndexError, condition, "INDEX", ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) \
  TORCH_CHECK_WITH_MSG(::c10::ValueError, condition, "VALUE", ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) \
  TORCH_CHECK_WITH_MSG(::c10::TypeError, condition, "TYPE", ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  TORCH_CHECK_WITH_MSG(::c10::NotImplementedError, condition, "TYPE", ##__VA_ARGS__)
#define TORCH_CHECK_ARG(condition, argument, ...) \
  TORCH_CHECK(condition, "invalid argument ", argument, ": ", ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...)                                                            \
  if (C10_UNLIKELY(!(condition))) {                                                                      \
    ::c10::detail::raise<::c10::Error>(::c10::str(#condition " INTERNAL ASSERT FAILED at \"", __FILE__,  \
                                                  "\":", __LINE__, ", please report a bug to PyTorch. ", \
                                                  ##__VA_ARGS__));                                       \
  }
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) \
  while (false) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(condition, ...) TORCH_INTERNAL_ASSERT(condition, ##__VA_ARGS__)
#define AT_ERROR(...)                                            \
  do {                                                           \
    ::c10::detail::raise<::c10::Error>(::c10::str(__VA_ARGS__)); \
  } while (false)
#define TORCH_WARN(...) ::c10::detail::warn(__func__, __FILE__, __LINE__, ##__VA_ARGS__)
#define TORCH_WARN_ONCE(...)                                                   \
  do {                                                                         \
    [[maybe_unused]] static const bool told = (TORCH_WARN(__VA_ARGS__), true); \
  } while (false)
#define AT_WARN(...) TORCH_WARN(__VA_ARGS__)
