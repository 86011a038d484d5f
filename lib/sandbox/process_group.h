#pragma once

#include <sys/types.h>

#include <cstdint>

namespace fib::sandbox {

// What the processes of a group use together, as /proc shows it.
struct GroupUse {
  std::uint64_t processes = 0;
  std::uint64_t resident_bytes = 0;  // memory that several of them share counts for each
};
[[nodiscard]] GroupUse use_of_group(pid_t group);

}  // namespace fib::sandbox
