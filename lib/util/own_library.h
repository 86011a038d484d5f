#pragma once

#include <filesystem>

namespace fib::util {

// The file that this code was loaded from: libfib_core.so. Throws Error when the system does not say.
[[nodiscard]] std::filesystem::path own_library();

}  // namespace fib::util
