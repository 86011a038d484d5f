#pragma once

#include <string>
#include <string_view>

namespace fib::model::json {

// Where `text` stops to be JSON, and what is wrong there: "line 3, column 7: unexpected '}'; expected string
// literal"; without the line where there is one line only. The column is that of the last byte that was read
// to know it, from 1. "" where it is JSON, and where the first fault is a number such as NaN, which parse()
// reads. Pure.
[[nodiscard]] std::string syntax_error(std::string_view text);

}  // namespace fib::model::json
