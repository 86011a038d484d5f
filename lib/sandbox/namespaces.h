#pragma once

namespace fib::sandbox {

// Gives the calling process, which has one thread, new namespaces of these kinds (CLONE_NEWNS and its like):
// as root by itself; for others in a user namespace in which they stay who they are. False where the system
// does not allow it.
[[nodiscard]] bool enter_new_namespaces(int kinds);

}  // namespace fib::sandbox
