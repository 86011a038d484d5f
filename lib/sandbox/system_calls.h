#pragma once

namespace fib::sandbox {

// What the filter does not refuse.
struct SystemCallDoors {
  bool processes = false;  // compilers of Python code and of builds: all stay in one process group
  bool locks = false;      // flock(), where no files of fib's own can be reached
  bool metadata = true;    // modes, owners, times and attributes of files; else changing them does nothing
  // What profilers and sanitizers need to speak with a process that they started, for processes in a PID
  // namespace and a network of their own: local sockets (AF_UNIX), memory files, locks on parts of files, and
  // signals. Goes with `processes` and `locks`.
  bool tools = false;
};

// Installs a seccomp filter in all threads of the calling process, for good and for what it starts. It lets
// threads be made but no processes unless they are allowed (then in no new namespaces), and refuses execve
// (likewise), reading or writing other processes' memory, signals to and priorities of other
// processes, sockets (but pairs that reach each other alone), io_uring, System V's memory, semaphores and
// queues, message queues, timers that send signals, memory files (memfd_create: no limit counts them), file
// locks, namespaces, keys, and what the system has few of for all processes together (the kernel's own
// asynchronous input and output, inotify). Where processes are allowed, setsid() and setpgid() do nothing, so
// that all can be killed as one group; pinning threads to cores does nothing either.
// Refused calls fail with EPERM (clone3, memfd_create, io_setup and inotify's with ENOSYS, so that the C
// library and others fall back). Those that nobody tries who computes end the process that makes them with
// SIGSYS: ptrace, mounts, other processes' descriptors, bpf, kernel modules, setting the clock and the like.
// Sets no_new_privs. Throws Error.
void refuse_system_calls(const SystemCallDoors& doors);

}  // namespace fib::sandbox
