#pragma once

#include <string>

namespace fib::device::cpu {

// The CPU's model name as /proc/cpuinfo gives it ("model name"), else the machine's architecture ("aarch64").
[[nodiscard]] std::string model_name();

// The frequency governor of the first core ("performance", "schedutil", ...); "unknown" where the kernel
// shows none.
[[nodiscard]] std::string governor();

// The one-minute load average; negative where it cannot be read.
[[nodiscard]] double load_average();

}  // namespace fib::device::cpu
