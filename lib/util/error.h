#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace fib {

// The text with "?" for each NUL, which would end it where what() is read.
[[nodiscard]] std::string without_nul(std::string text);

// What library code throws: one sentence with what, where and what to do. Expected outcomes (a failed build,
// a wrong answer, a dead worker) are values, never an Error. Only main() catches everything.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(without_nul(message)) {}

  template <typename... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args) requires(sizeof...(Args) > 0)
      : std::runtime_error(without_nul(fmt::format(format, std::forward<Args>(args)...))) {}

  // The same error with "<context>: " in front; for callers that know the file, line or field.
  [[nodiscard]] Error with_context(const std::string& context) const {
    return Error(context + ": " + what());
  }
};

}  // namespace fib
