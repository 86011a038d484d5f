#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

// Source code cut into pieces that a reader tells apart by colour. Pure.
namespace fib::present {

enum class Syntax { none, cpp, python };  // cpp: C, C++ and CUDA

enum class TokenKind { comment, string, number, keyword, directive };

// A piece of the source: bytes [begin, end), begin < end. Ends only beside ASCII characters or at the end of
// the source, so that no character of UTF-8 text is cut.
struct Token {
  std::size_t begin = 0;
  std::size_t end = 0;
  TokenKind kind = TokenKind::comment;

  friend bool operator==(const Token&, const Token&) = default;
};

// By the extension: .py; .cu .cuh .cpp .cc .cxx .c .h .hpp .hxx.
[[nodiscard]] Syntax syntax_of(std::string_view path);

// The pieces that stand out, in order, none in another; what lies between them is plain. Names and operators
// are plain. A directive is the "#include" of a line or a decorator of Python; keywords are the language's
// words, for cpp also those of CUDA (__global__) and the basic types. Anything may be given: what is not
// closed ends with the source (with the line, for strings that cannot span lines).
[[nodiscard]] std::vector<Token> highlight(std::string_view source, Syntax syntax);

}  // namespace fib::present
