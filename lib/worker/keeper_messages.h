#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What the keeper is asked, and what it tells (messages.h).
namespace fib::worker {

// What the keeper shall start. Descriptors beside it: the child's channel, then its stdout and stderr.
struct Spawn {
  std::uint32_t id = 0;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string folder;
  std::uint64_t file_size_limit = 0;  // bytes; 0 is unlimited
  std::uint64_t memory_limit = 0;     // bytes of all its processes together, where the system can; 0: none
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Spawn decode(const std::string& payload);
};

struct Spawned {
  std::uint32_t id = 0;
  std::int32_t pid = 0;
  std::string error;          // not empty: nothing was started
  bool memory_group = false;  // its memory_limit holds
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Spawned decode(const std::string& payload);
};

struct Exited {
  std::uint32_t id = 0;
  std::int32_t wait_status = 0;   // as waitpid gives it
  bool memory_exhausted = false;  // the kernel has ended it because it reached its memory_limit
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Exited decode(const std::string& payload);
};

}  // namespace fib::worker
