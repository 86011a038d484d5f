#pragma once

#include <string>

namespace fib::compile {

// The compiler's output with its first error moved to the front: the log of a failed build begins with what
// went wrong, not with warnings or include chains. The complete output follows. Unchanged when it begins with
// the error or holds none.
[[nodiscard]] std::string first_error_first(const std::string& output);

}  // namespace fib::compile
