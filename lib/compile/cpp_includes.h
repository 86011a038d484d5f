#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fib::compile {

// What a C or C++ source includes, as it stands between the marks: "tvm/ffi/function.h". Lines that begin
// with #include, whatever surrounds them. Pure; takes time in proportion to the source's length.
[[nodiscard]] std::vector<std::string> included_headers(std::string_view source);

// Whether a name that begins with `beginning` stands in it, comments and literals left out. Pure.
[[nodiscard]] bool names_something_with(std::string_view source, std::string_view beginning);

}  // namespace fib::compile
