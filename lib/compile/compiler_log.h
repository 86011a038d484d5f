#pragma once

#include <filesystem>
#include <string>

namespace fib::compile {

// The compiler's output with its first error moved to the front: the log of a failed build begins with what
// went wrong, not with warnings or include chains. The complete output follows. Unchanged when it begins with
// the error or holds none.
[[nodiscard]] std::string first_error_first(const std::string& output);

// The output with paths below `folder` relative to it: messages name the sources as the solution does, not by
// the temporary folder they were compiled in.
[[nodiscard]] std::string without_folder(std::string output, const std::filesystem::path& folder);

}  // namespace fib::compile
