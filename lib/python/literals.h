#pragma once

#include <string>
#include <string_view>

#include "python/ast.h"

namespace fib::python {

// Thrown by the decoders below; the parser adds the position.
struct LiteralError {
  std::string message;
};

// The value of a number token. Throws LiteralError for a literal no double or digits can hold.
[[nodiscard]] Constant decode_number(std::string_view token);

// The value of one string token with its prefix and quotes. Throws LiteralError for a bad escape.
[[nodiscard]] Constant decode_string(std::string_view token);

}  // namespace fib::python
