#pragma once

#include <string>

#include "util/error.h"

namespace fib::python {

// Source text that is not Python. what() is "line L, column C: <message>"; the message alone is worded as
// CPython words it where that is easy ("invalid syntax", "unexpected indent", "expected ':'", "'(' was never
// closed").
class SyntaxError : public Error {
 public:
  // `line` and `column` count from 1; columns count code points.
  SyntaxError(const std::string& message, int line, int column)
      : Error("line {}, column {}: {}", line, column, message),
        message_(message),
        line_(line),
        column_(column) {}

  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] int column() const { return column_; }

 private:
  std::string message_;
  int line_;
  int column_;
};

}  // namespace fib::python
