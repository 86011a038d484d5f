#pragma once

#include <cstdint>

#include "sandbox/system_calls.h"

namespace fib::sandbox {

// What the calling process gives up for good, apart from files (files.h). Each throws Error when it cannot be
// done: a process without its limits does not go on.

// Every capability, also from the bounding set; none can be gained again.
void drop_capabilities();

// It may allocate at most `more_bytes` more private memory than it has now (RLIMIT_DATA; the address space
// stays unlimited, because CUDA and sanitizers reserve terabytes of it). For root too.
void limit_data(std::uint64_t more_bytes);

// It may have at most half as many open files as the hard limit of who starts it allows, and 1024: the kernel
// counts the descriptors that a user's processes have on their way through sockets, and refuses who sends one
// when there are more than its own limit. Where fib's own processes use their hard limit, the sandbox's
// cannot fill it. Below 256 nothing changes. Fewer also mean fewer watches of epoll, whose memory nobody
// counts, and of which a user has a number in all: one for each pair of two descriptors.
void limit_descriptors();

// It may queue at most 1024 signals and have as many timers: they count against all that a user's processes
// may have together.
void limit_queued_signals();

// When memory is out, the kernel ends this process, and what it starts, before others. Who had
// CAP_SYS_RESOURCE cannot take that back once it is gone; others can. No error where the kernel does not know
// it.
void offer_to_oom_killer();

// The last step before a solution's code is loaded: limit_data(), limit_descriptors(),
// limit_queued_signals(), drop_capabilities(), not dumpable (other unprivileged processes cannot read it),
// refuse_system_calls().
void enter(std::uint64_t data_limit_bytes, const SystemCallDoors& doors);

}  // namespace fib::sandbox
