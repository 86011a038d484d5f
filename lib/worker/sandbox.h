#pragma once

#include <cstdint>

namespace fib::worker {

// What is not refused, for Python code.
struct SandboxDoors {
  bool processes = false;  // compilers: see worker/descendants.h; all stay in one process group
  bool locks = false;      // flock(), where files of fib's own are out of sight
};

// Locks the calling process in before a solution's code is loaded, for good and for root too:
// * it may allocate at most `data_limit_bytes` more than it has now (RLIMIT_DATA; address space stays
//   unlimited, because CUDA and sanitizers reserve terabytes of it);
// * every capability is dropped, also from the bounding set, and none can be gained again;
// * it is not dumpable, so that other unprivileged processes cannot read it;
// * a seccomp filter lets threads be made but no processes unless they are allowed (then in no new
//   namespaces), and refuses execve (likewise), ptrace, reading or writing other processes' memory, signals
//   to and priorities of other processes, sockets, io_uring, System V memory, file locks, mounts, namespaces,
//   keys, bpf and kernel modules. Where processes are allowed, setsid() and setpgid() do nothing, so that all
//   can be killed as one group. Refused calls fail with EPERM (clone3 with ENOSYS, so that the C library
//   falls back to clone).
// Throws Error when any part cannot be set up: a worker without its limits does not run.
void enter_sandbox(std::uint64_t data_limit_bytes, const SandboxDoors& doors);

// Only the capabilities part, for processes that must start others (builders).
void drop_capabilities();

}  // namespace fib::worker
