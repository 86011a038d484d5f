#pragma once

#include <filesystem>
#include <vector>

namespace fib::sandbox {

// What the kernel shows in /proc and /sys to root alone, and which a process of root can read without any
// capability, since root owns it: files of /proc that nobody else may read; debugfs, tracefs, securityfs, bpf
// and pstore, and the firmware's tables; a GPU's registers and memory (resource0, rom). Other files of sysfs
// that are root's alone are not in it. Those that exist; any thread.
[[nodiscard]] std::vector<std::filesystem::path> files_of_root();

}  // namespace fib::sandbox
