#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "python/syntax_error.h"

namespace fib::python {

enum class TokenKind { kName, kNumber, kString, kOperator, kNewline, kIndent, kDedent, kEnd };

struct Token {
  TokenKind kind;
  std::string_view text;  // into the source; keywords are kName
  int line;               // of the token's first character, from 1
  int column;             // in code points, from 1
};

// Splits `source` into tokens, ending with kNewline (when anything was read), open kDedents and kEnd.
// Brackets are balanced afterwards. Throws SyntaxError. The tokens point into `source`.
[[nodiscard]] std::vector<Token> tokenize(std::string_view source);

// A SyntaxError at byte `offset` of `source` (which is in line `line`); the column is worked out here.
[[nodiscard]] SyntaxError error_at(std::string_view source, std::size_t offset, int line,
                                   const std::string& message);

// Whether `word` is a reserved word of Python.
[[nodiscard]] bool is_keyword(std::string_view word);

}  // namespace fib::python
