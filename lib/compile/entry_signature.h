#pragma once

#include <string>
#include <string_view>

namespace fib::compile {

// Whether the C or C++ source declares `symbol` as returning int (int, int32_t, std::int32_t). A C symbol
// carries no type, so the source is read: comments are skipped, and the words before "<symbol>(" decide.
// Anything that does not read as an int is taken for void.
[[nodiscard]] bool returns_status(std::string_view source, const std::string& symbol);

}  // namespace fib::compile
