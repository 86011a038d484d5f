#pragma once

#include <filesystem>
#include <string>

namespace fib::util {

// Files of /proc, /sys and control groups: what is written there takes effect as a whole or not at all. Any
// thread.

// All that it holds now; empty where it cannot be read, or not to its end (its process has ended meanwhile).
[[nodiscard]] std::string read_kernel_file(const std::filesystem::path& path);

// False, with errno, where the kernel does not take it.
[[nodiscard]] bool write_kernel_file(const std::filesystem::path& path, const std::string& text);

}  // namespace fib::util
