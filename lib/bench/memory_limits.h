#pragma once

#include <cstdint>

#include "sandbox/files.h"

// How much memory the code of solutions, and Python code of references, may have, in bytes; and how large
// their files may become.
namespace fib::bench {

// What one process may allocate (RLIMIT_DATA): half the machine's memory, but at least 2 and at most 64 GiB.
[[nodiscard]] std::uint64_t data_limit();

// What all processes of a worker may have together (ChildSetup::memory_limit): with the files in its private
// folders, /tmp and /dev/shm, whose size `files` says.
[[nodiscard]] std::uint64_t memory_limit(const sandbox::FileAccess& files);

// What one file of a process with code of a solution may hold (ChildSpec::file_size_limit).
inline constexpr std::uint64_t kFileSizeLimit = std::uint64_t{1} << 28U;

}  // namespace fib::bench
