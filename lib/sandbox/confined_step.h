#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sandbox/files.h"
#include "util/error.h"

namespace fib::sandbox {

// What a step and all processes that it starts may use.
struct StepLimits {
  std::uint64_t process_bytes = std::uint64_t{16} << 30U;  // private memory of one process
  std::uint64_t memory_bytes = 0;  // resident memory of all; 0: three quarters of the machine's
  std::uint64_t processes = 1000;
  std::uint64_t file_bytes = std::uint64_t{4} << 30U;    // one file
  std::uint64_t folder_bytes = std::uint64_t{8} << 30U;  // all files in the work folder
};

// A limit was reached, which is the step's own fault; the sentence says which.
class LimitReached : public Error {
 public:
  using Error::Error;
};

// Runs `step` in a process of its own that reaches the files of `access` and `work`, which it may write, and
// nothing else (files.h, process.h: no network, no capabilities; processes may be started, all of which are
// killed when the step is over), and returns what it returned. `work` is an existing folder; TMPDIR and HOME
// name a place in it. The step's standard streams are /dev/null.
// To be called by a process without other threads that may use much memory or time; waits as long as the step
// takes. Throws Error with the sentence that the step threw, and when its process was ended by a signal (a
// fault of the machine); LimitReached.
[[nodiscard]] std::string run_confined(const FileAccess& access, const std::filesystem::path& work,
                                       const StepLimits& limits, const std::function<std::string()>& step);

}  // namespace fib::sandbox
