#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fib::device::cuda {

// How a kernel was launched and what one launch takes, as the driver told CUPTI.
struct KernelLaunch {
  std::string symbol;  // as the compiler has it: of C++ a mangled name
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers = 0;             // a thread
  std::uint32_t local_bytes = 0;           // a thread: spilled registers, and arrays of threads
  std::uint32_t static_shared_bytes = 0;   // a block
  std::uint32_t dynamic_shared_bytes = 0;  // a block
  auto operator<=>(const KernelLaunch&) const =
      default;  // NOLINT: clang-tidy 14 takes the comparison with 0 for a pointer
};

// Launches that are alike.
struct KernelUse {
  KernelLaunch launch;
  std::uint32_t times = 0;
  double busy_ns = 0;  // of all of them together
};

// One piece of work that the device did, by the device's own clock.
struct Activity {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  // CUPTI's number of the call of the driver that asked for it
  bool kernel = false;            // else a copy or a set
  bool from_device = false;       // launched by another kernel
  KernelLaunch launch = {};       // of a kernel that the host launched
};

// CUPTI's numbers of calls of the driver.
struct AskedFor {
  std::vector<std::uint32_t> by_call;  // of the solution, within its call
  std::vector<std::uint32_t> by_fib;
  std::vector<std::uint32_t> launches = {};  // of by_call: those that the device has worked for
};

// What the device did for one call.
struct Trace {
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;   // copies and sets
  std::uint64_t streams = 0;  // how many had work
  std::uint64_t orphans = 0;  // pieces that neither the call nor fib asked for: other threads' work
  std::uint64_t missing = 0;  // launches of the call without any record: somebody has switched records off
  std::uint64_t dropped = 0;  // records that were lost: nothing else here is to be believed
  double busy_ns = 0;         // how long the device did anything
  double span_ns = 0;         // from the first begin to the last end
  // Of the kernels that the host launched: those that took longest first, at most kMostUses.
  std::vector<KernelUse> uses = {};
};

// More different launches in one call tell a reader nothing.
inline constexpr std::size_t kMostUses = 16;

// Pure. fib's own work is left out. What other kernels launch belongs to the call.
[[nodiscard]] Trace summarise(const std::vector<Activity>& activities, const AskedFor& asked_for);

}  // namespace fib::device::cuda
