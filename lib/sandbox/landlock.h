#pragma once

#include <filesystem>
#include <vector>

namespace fib::sandbox {

// What Landlock lets a process do with files: everything that is not below one of these is refused. Paths
// that do not exist are passed over.
struct LandlockRules {
  std::vector<std::filesystem::path> readable;  // folders and files: read and execute
  std::vector<std::filesystem::path> writable;  // folders: everything but device nodes
  std::vector<std::filesystem::path> devices;   // device nodes: read, write, ioctl
  std::filesystem::path own_process;            // "/proc/<pid>": read and write files
};

// Whether the kernel has it.
[[nodiscard]] bool has_landlock();

// Lays the rules upon the calling thread, and threads and processes that it starts, for good (Linux 5.13; no
// privileges are needed; sets no_new_privs). Besides, they may trace, or read and write the memory of, no
// process outside of those, may not change mounts, open TCP connections (Linux 6.7), or reach abstract
// sockets and send signals outside (6.12). The version of Landlock that holds; 0, with nothing changed, where
// the kernel has none. Throws Error when the rules cannot be laid though the kernel has it.
int enter_landlock(const LandlockRules& rules);

}  // namespace fib::sandbox
