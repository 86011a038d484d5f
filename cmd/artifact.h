#pragma once

#include <string>

namespace fib::cmd {

// The hidden command "__artifact ORDER RESULT", by which libfib has solutions built (lib/apply/build.h):
// reads the order, builds with confined compilers or finds it in the cache, and writes the result. Returns
// the process's exit code; 1 with a sentence on standard output.
[[nodiscard]] int build_artifact(const std::string& order, const std::string& result);

}  // namespace fib::cmd
