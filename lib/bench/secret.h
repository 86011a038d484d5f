#pragma once

#include <string>

namespace fib::bench {

// 32 bytes that nobody can guess, as 64 hexadecimal digits: what inputs of a run are made of, say. Any
// thread. Throws Error where the system gives none.
[[nodiscard]] std::string make_secret();

}  // namespace fib::bench
