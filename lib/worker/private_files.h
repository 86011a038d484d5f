#pragma once

#include <filesystem>
#include <vector>

namespace fib::worker {

// Gives the calling process a view of the file system of its own (a mount namespace): /tmp, /var/tmp and
// /dev/shm are empty folders in `folder`, everything else can be read and not written. TMPDIR and HOME then
// name /tmp. What lies in these three folders is hidden, but for `visible` folders, which can be read. Needs
// root or unprivileged user namespaces, and a process with one thread. False, with nothing changed that
// matters, where the system does not allow it: solutions can then leave files behind, which gains them
// nothing, since no input set comes twice.
[[nodiscard]] bool enter_private_files(const std::filesystem::path& folder,
                                       const std::vector<std::filesystem::path>& visible = {});

}  // namespace fib::worker
