#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace fib::sandbox {

// The file system that a process sees: nothing but this, and /proc, /sys (both read-only, and as root without
// most of what they show to root alone: debugfs, tracefs, /proc/kpageflags, a GPU's registers and their
// like).
struct FileView {
  std::vector<std::filesystem::path> readable;  // folders and files, at their own paths; cannot be written
  std::vector<std::filesystem::path> writable;  // folders, at their own paths
  std::vector<std::filesystem::path> devices;   // device nodes
  // Of a process in a PID namespace of its own: /proc shows that one, and files of all its processes can be
  // written, not only those of the calling one.
  bool own_processes = false;
  std::uint64_t private_bytes = 0;  // what each of the empty /tmp and /dev/shm holds (in memory)
};

// Gives the calling process such a view (a mount namespace with a root of its own), and /tmp as its current
// folder; /var/tmp is the same folder as /tmp. `place` is an empty folder to build it upon; nothing is
// written there. Needs root or unprivileged user namespaces, and a process with one thread. Paths that do not
// exist are passed over; links are followed once, here. False, with nothing changed that matters, where the
// system does not allow it.
[[nodiscard]] bool enter_file_view(const FileView& view, const std::filesystem::path& place);

// Lays an empty file system in memory, which holds `bytes`, over an empty folder; all else stays in sight as
// it is. Only the calling process and what it starts see it. Needs what enter_file_view needs. False, with
// nothing changed that matters, where the system does not allow it.
[[nodiscard]] bool limit_folder(const std::filesystem::path& folder, std::uint64_t bytes);

}  // namespace fib::sandbox
