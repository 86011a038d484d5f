#pragma once

namespace fib::worker {

// From now on the calling thread, and threads and processes that it starts, may trace, or read and write the
// memory of, no process outside of those (Landlock, which needs no privileges; Linux 5.19). fib's processes
// shut themselves off too, but not from their very first instruction. Sets no_new_privs. No effect on files
// but that device nodes cannot be made. Mounts cannot be changed afterwards. False where the kernel does not
// have it.
bool give_up_tracing();

}  // namespace fib::worker
