#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eval/layout.h"
#include "tvm_ffi/abi.h"
#include "util/unique_fd.h"
#include "worker/target.h"
#include "worker/worker_messages.h"

namespace fib::worker {

// What the judge has made for a workload (doors.h).
struct SharedBuffers {
  util::UniqueFd inputs;
  util::UniqueFd outputs;
  bool on_device = false;     // they lie in device memory
  std::uint32_t places = 1;   // in each, one after the other, for the inputs or outputs of a call
  bool has_private = false;   // and one more, which the private buffers are: the judge reaches them, too
  bool is_solutions = false;  // the calls to come are a solution's
};

// Where a worker's calls happen: its private buffers on one device, how data moves between them and the
// shared ones, and the clock. One workload at a time; one thread.
class Stage {
 public:
  virtual ~Stage() = default;

  // A new workload. Throws Error.
  virtual void open(const eval::Layout& layout, SharedBuffers shared) = 0;

  // The private buffers, valid until the next open().
  [[nodiscard]] virtual Buffers buffers() = 0;

  // A call that this clock will time begins: copies inputs and poison from their place in the shared buffers
  // to the private ones, and scalars to host memory. `place` is below the buffers' number of places. By
  // Clock::kCounters inputs and poison are there already, and only scalars are copied; then flush() leaves
  // the caches as they are, run() takes no time, and collect() copies nothing. By Clock::kNone, of references
  // that return their outputs, inputs alone are copied, flush() and run() do likewise, take_output() copies
  // to where the outputs are shared, and collect() does nothing; a device may have work of all that until
  // wait().
  virtual void fill(Clock clock, std::uint32_t place) = 0;
  // Then, as the last step before the call: takes the caches to their starting state.
  virtual void flush() = 0;

  // One call, timed by the clock that fill() was told; the device is idle when it returns, but by
  // Clock::kNone. Throws Error with the sentence for the log.
  [[nodiscard]] virtual Done run(Target& target, Clock clock) = 0;

  // Why it has no second clock, nor one that follows a call's waits and streams; empty when it has both. To
  // be asked before the sandbox is closed: it may start one.
  [[nodiscard]] virtual std::string prepare_tracer() { return "the CPU has one clock"; }

  // Measures what the clock reads of nothing. To be asked when no other process works on the device, and
  // before there is anything of a solution that could disturb it.
  virtual void calibrate() {}

  // Whether the worker looks itself at what processes of the target do outside of their call; else who asks
  // for the calls does (watched_process.h).
  [[nodiscard]] virtual bool watches_processes() const { return true; }

  // Within the timed call: an output lies there. What its memory costs when it is looked at is paid now; and
  // where it is memory of an input, or of an output before it, the copy that makes it memory of its own.
  virtual void touch_output(const eval::Slot& /*slot*/, std::uint64_t /*address*/) {}

  // Copies an output that lies somewhere else in the memory of this process (on CUDA: of the device) to its
  // slot in the private buffers. Between run() and collect(), which may be what copies it. On CUDA a
  // solution's memory is spoiled then, that of its inputs and of the outputs that it has returned: a call has
  // to write all that it returns, to memory of its own.
  virtual void take_output(const eval::Slot& slot, std::uint64_t address) = 0;

  // Which device it is, as DLPack names it to this process.
  [[nodiscard]] virtual tvm_ffi::Device device() const { return {tvm_ffi::kCpu, 0}; }

  // Memory on the device for tensors that a call asks its environment for, aligned to 256 bytes; on CUDA in
  // the order of the stream. Throws Error. free() gives it back, before the stage ends.
  [[nodiscard]] virtual void* allocate(std::uint64_t bytes) = 0;
  virtual void free(void* memory) noexcept = 0;

  // Copies the outputs back to where fill() was told; whether the private inputs changed. Throws Error where
  // the clock has seen work since fill() that was neither the call's nor fib's.
  [[nodiscard]] virtual bool collect() = 0;

  // Until what calls by Clock::kNone have queued is done, and their outputs lie where they are shared. Throws
  // Error where it failed.
  virtual void wait() {}
};

// The CPU.
[[nodiscard]] std::unique_ptr<Stage> make_cpu_stage();

// On which stream fib queues its own work and begins the solution's.
enum class WorkStream { kOwn, kDefault };

struct CudaStageOptions {
  bool host_code = false;  // the solution has code on the host, which could change how the device is set up
  WorkStream stream = WorkStream::kOwn;
};

// Begins what making a CUDA stage begins with and takes no memory of a device for: half of its time. Where it
// fails, making the stage says why.
void open_cuda_ahead();

// A CUDA device; starts CUDA in this process. `kernels` are fib's own (the cubin's bytes). Throws Error when
// the device cannot be used, or when fib was built without CUDA support.
[[nodiscard]] std::unique_ptr<Stage> make_cuda_stage(const UseDevice& device, const std::string& kernels,
                                                     const CudaStageOptions& options);

// The kernels of a solution with spec.launch (the cubin's bytes), on the stage made by make_cuda_stage, which
// must outlive it. Throws Error.
[[nodiscard]] std::unique_ptr<Target> make_kernel_target(Stage& stage, const std::string& cubin);

}  // namespace fib::worker
