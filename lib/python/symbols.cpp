#include "python/symbols.h"

#include <array>
#include <cstddef>

namespace fib::python {

const char* symbol_of(BinaryOp op) {
  constexpr std::array<const char*, 13> kSymbols = {"+",  "-",  "*",  "@", "/", "//", "%",
                                                    "**", "<<", ">>", "&", "|", "^"};
  return kSymbols[static_cast<std::size_t>(op)];
}

const char* symbol_of(CompareOp op) {
  constexpr std::array<const char*, 10> kSymbols = {"==", "!=", "<",      "<=", ">",
                                                    ">=", "is", "is not", "in", "not in"};
  return kSymbols[static_cast<std::size_t>(op)];
}

}  // namespace fib::python
