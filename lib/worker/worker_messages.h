#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/launch_plan.h"
#include "device/cuda/trace.h"
#include "eval/layout.h"
#include "sandbox/files.h"
#include "worker/messages.h"

// What solution and reference workers are asked, and what they answer (messages.h).
namespace fib::worker {

enum class TargetKind : std::uint8_t {
  kSharedLibrary,
  kReference,  // in the native engine
  kKernels,
  kTvmFfi,        // a function of a shared library by TVM-FFI's convention
  kTorchHeaders,  // a function of a torch extension that was built with fib's torch headers
  kPython,        // a solution or a reference, in a guest
};

// A worker shuts itself out of files and capabilities (a guest has done so before), and begins to start CUDA,
// which takes no memory of a device. It need not be known yet which solution it is.
struct Confine {
  std::string files;         // what it may reach (sandbox::FileAccess as JSON)
  std::string runtime = {};  // kTvmFfi, kTorchHeaders: the library that such solutions are linked to
  bool on_cuda = false;
  bool runs_kernels_alone = false;  // TargetKind::kKernels: all of its work is queued on one stream
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Confine decode(const std::string& payload);
  friend bool operator==(const Confine&, const Confine&) = default;
};

// Where and within which limits a worker shall run something, and of which kind that is: it starts the
// device. Nothing of a solution is there yet; a native reference's worker limits its system calls here,
// others when they load a solution. Beside it lie fib's own kernels on CUDA, but for kReference.
struct Start {
  TargetKind kind = TargetKind::kSharedLibrary;
  UseDevice device;                    // a native reference takes only the uuid, for its engine
  std::uint32_t threads = 1;           // kReference, kPython: threads it may use; 0: as it likes
  std::uint64_t data_limit_bytes = 0;  // what the sandbox lets it allocate
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Start decode(const std::string& payload);
  friend bool operator==(const Start&, const Start&) = default;
};

// What a worker shall run, once the limits hold; it lies beside the message: a library or kernels; a native
// reference's source as a document; what a guest runs as a document (python_target.h), followed by a torch
// extension's library, and by what just-in-time compilers made in another worker of the same solution
// (packed_folder.h).
struct Load {
  std::string symbol;           // kSharedLibrary, kTvmFfi, kTorchHeaders
  std::string extension = {};   // kTorchHeaders: the name that it was built for
  bool returns_status = false;  // kSharedLibrary: the function returns an int, non-zero on failure
  bool returns_values = false;  // kTvmFfi, kTorchHeaders: the function returns its outputs
  bool has_jit_files = false;   // kPython: the last descriptor is what such compilers made
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Load decode(const std::string& payload);
};

struct Loaded {
  std::string engine;     // "native (OpenBLAS ...)", "Python 3.12.3, torch 2.11.0"; empty for a library
  sandbox::Held sandbox;  // what holds in the process
  std::string no_tracer;  // CUDA: why there is no second clock (CUPTI); empty: there is one
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Loaded decode(const std::string& payload);
};

// A new workload: where everything lies in the two shared buffers whose descriptors travel beside the message
// (inputs, then outputs), and for kKernels what is launched. Each buffer has as many places as `places` says,
// one after the other, for the inputs or outputs of a call; Prepare and Collect use the first. Where
// `has_private` says so there is one more behind them, which are the worker's private buffers.
struct Open {
  eval::Layout layout;
  compile::ResolvedPlan plan;
  bool on_device = false;  // the shared buffers lie in device memory
  std::uint32_t places = 1;
  bool has_private = false;
  bool is_solutions = false;  // the calls to come are a solution's, not a reference's
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Open decode(const std::string& payload);
};

// Which clock times a call.
enum class Clock : std::uint8_t {
  kHost,             // the CPU's monotonic clock
  kEvents,           // a pair of CUDA events behind a bounded spin (device/cuda/timer.h)
  kOpenEvents,       // the same without the spin, for calls that wait for the device inside
  kCuptiKernel,      // CUPTI's records of kernels, one at a time: how long the device was busy
                     // (device/cuda/tracer.h)
  kCuptiConcurrent,  // CUPTI's records as streams run: from the first begin to the last end
  kEventSegments,    // pairs of events behind spins between any two waits, on all streams
                     // (device/cuda/segment_timer.h)
  kCounters,         // the device's own, which the judge reads: the worker looks at no clock, holds nothing
                     // back, and leaves inputs, poison and caches to the judge, which reaches its private
                     // buffers
  kNone,             // none: a reference is called for its outputs alone
};

[[nodiscard]] bool is_by_cupti(Clock clock);
[[nodiscard]] std::string name_of(Clock clock);  // "monotonic", "events", "open-events", "cupti-kernel", …

// Prepare and Run: the clock of the call.
struct CallRequest {
  Clock clock = Clock::kHost;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static CallRequest decode(const std::string& payload);
};

// Calls: so many whole calls, one after the other, each as Prepare, Run and Collect make it, at the places
// from `first_place` on. By Clock::kNone a device is waited for at their end alone.
struct CallsRequest {
  Clock clock = Clock::kHost;
  std::uint32_t first_place = 0;
  std::uint32_t count = 0;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static CallsRequest decode(const std::string& payload);
};

using device::cuda::KernelLaunch;
using device::cuda::KernelUse;
// So many different kernels of a call are named at most, those that took longest.
inline constexpr std::size_t kMostKernelUses = device::cuda::kMostUses;

// What a worker says of one call. All numbers are finite and not negative, but elapsed_ns, which is what a
// clock gave.
struct Done {
  double elapsed_ns = 0;  // the worker's claim, by the clock that was asked for
  double host_ns = 0;     // CUDA: what the host needed to queue the call; else elapsed_ns
  bool covered = true;    // CUDA: the device began after everything was queued
  double clock_mhz = 0;   // CUDA: of a multiprocessor just before the call; 0: unknown
  // By events only.
  std::uint32_t segments = 0;  // stretches between two waits inside
  double empty_pair_ns = 0;    // what a pair with nothing between reads, and was subtracted of each
  // What the worker's own clock saw beyond a pair (device/cuda/timer.h), and beyond one with nothing between;
  // 0: nobody knows.
  double around_ns = 0;
  double empty_around_ns = 0;
  // By CUPTI's clocks only: what the device did.
  std::uint32_t kernels = 0;
  std::uint32_t copies = 0;  // and sets
  std::uint32_t streams = 0;
  bool dropped = false;  // records were lost: the call does not count
  double busy_ns = 0;
  double span_ns = 0;
  std::vector<KernelUse> uses = {};  // at most kMostKernelUses
  // CUDA: why the driver has refused the first launch that it did; "": it refused none, or nobody has seen it
  // (CUPTI is not there, or its callbacks are off).
  std::string refused_launch = {};
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Done decode(const std::string& payload);
};

// All that a guest's just-in-time compilers have made, with what Load brought: bytes at the beginning of the
// memory file beside the request, packed (packed_folder.h); 0: nothing but that, or too much.
struct Packed {
  std::uint64_t bytes = 0;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Packed decode(const std::string& payload);
};

// What the target says it returned for each output, and whether its private inputs changed.
struct Collected {
  bool inputs_changed = false;
  std::vector<eval::OutputClaim> outputs;
  std::uint64_t tied_rows = 0;  // of references only (target.h)
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Collected decode(const std::string& payload);
};

// The answer to Calls, in their order.
struct Called {
  struct Call {
    Done done;
    Collected collected;
  };
  std::vector<Call> calls;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Called decode(const std::string& payload);
};

}  // namespace fib::worker
