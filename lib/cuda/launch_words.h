#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

// What messages say of a launch that asks for more than its kernel may have. Workers send text; bench tells
// these reasons from others by the words that are constants here. They need no CUDA to compile.
namespace fib::cuda {

inline constexpr const char* kMoreThreads = " threads a block, and may have ";
inline constexpr const char* kMoreSharedMemory = " bytes of dynamic shared memory, and may have ";

inline std::string asks_for_more_threads(std::uint64_t threads, std::uint64_t most) {
  return fmt::format("it asks for {}{}{}", threads, kMoreThreads, most);
}

inline std::string asks_for_more_shared_memory(std::uint64_t bytes, std::uint64_t most) {
  return fmt::format("it asks for {}{}{}", bytes, kMoreSharedMemory, most);
}

}  // namespace fib::cuda
