#pragma once

#include <string>
#include <string_view>

namespace fib::util {

// `text` as one word of a POSIX shell's command line: in single quotes where it is not made of letters,
// digits and some harmless signs. Pure.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace fib::util
