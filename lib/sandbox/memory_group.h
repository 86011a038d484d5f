#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "util/unique_fd.h"

namespace fib::sandbox {

// Control groups (cgroup v2), in which a child and all that it starts count their memory together: what
// several of them allocate, what they share without a file, and files in memory, none of which RLIMIT_DATA
// counts. They are made beside the group that fib runs in, where the system lets this user do that: a group
// that has processes cannot be divided itself. There is no such place with cgroup v1, in most containers, and
// for users to whom nothing is delegated (docs/THREAT-MODEL.md).

// The folder in which groups could be made; empty: none. `mounts` and `own` are the texts of
// /proc/self/mounts and /proc/self/cgroup.
[[nodiscard]] std::filesystem::path place_for_groups(const std::string& mounts, const std::string& own);

// That of this process. None where its own group has limits, which would not hold beside it.
[[nodiscard]] std::filesystem::path place_for_groups();

// Whether a group has a limit of its own on memory, or on which CPUs it uses and how much of them.
[[nodiscard]] bool has_limits(const std::filesystem::path& group);

class MemoryGroup {
 public:
  // A new group in `place` whose name begins with `name`. Its processes may have `bytes` together, and no
  // swap. Null where `place` is empty or allows no group with a limit on memory.
  [[nodiscard]] static std::unique_ptr<MemoryGroup> make(const std::filesystem::path& place,
                                                         const std::string& name, std::uint64_t bytes);
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  ~MemoryGroup();  // closes; remove() removes

  // The calling process, and all that it starts from now on, belong to it. Async-signal-safe. False with
  // errno.
  [[nodiscard]] bool enter() const;

  // Whether the kernel has ended its processes because they reached the limit.
  [[nodiscard]] bool was_exhausted() const;

  // False while it has processes.
  [[nodiscard]] bool remove() const;

 private:
  explicit MemoryGroup(std::filesystem::path folder);

  std::filesystem::path folder_;
  util::UniqueFd processes_;
};

// Removes the groups in `place`, which may be empty, whose names begin with `name`, that have no processes,
// and that were made at least `seconds` ago. With 0 their time is not looked at: the clock of a file system
// and the clock of time() may differ by a second.
void remove_groups(const std::filesystem::path& place, const std::string& name, std::int64_t seconds);

}  // namespace fib::sandbox
