#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eval/layout.h"
#include "ops/gpu/gpu.h"
#include "worker/worker_messages.h"

namespace fib::worker {

// A worker's private buffers, laid out by the layout, on the stage's device.
struct Buffers {
  std::byte* inputs = nullptr;
  std::byte* outputs = nullptr;
  // In host memory: 8 bytes for each input, in order; those of scalars hold what their slots do.
  const std::byte* scalars = nullptr;
  void* stream = nullptr;  // CUDA: the stream to queue work on
};

// What a worker runs, behind one door: a solution's function or kernels, or a definition's reference. Lives
// in a worker process; one thread.
class Target {
 public:
  virtual ~Target() = default;

  // A new workload; the buffers stay valid and in place until the next open(). Throws Error with the sentence
  // for the log when the solution does not fit it.
  virtual void open(const Open& workload, const Buffers& buffers) = 0;

  // Reads the scalars of the current set, so that the timed call needs no look-ups.
  virtual void prepare() = 0;

  // The timed call. Throws Error with the sentence for the log when the solution reports a failure or throws.
  virtual void call() = 0;

  // Whether processes of the target still worked when the call had returned; waits until they rest. Throws
  // Error when they do not.
  [[nodiscard]] virtual bool waits_for_processes() { return false; }

  // Puts the outputs of the last call into the output buffer, where the call did not do so itself, and says
  // what they are. An output that does not fit its slot is claimed as it is and not copied.
  [[nodiscard]] virtual std::vector<eval::OutputClaim> collect() = 0;

  // The call is over, its outputs are copied, and nothing of the next one is there: lets go of what it
  // returned. What code of the solution does when its objects end belongs to this call.
  virtual void forget() {}

  // All that just-in-time compilers of the solution have made, with what Load brought, packed
  // (packed_folder.h). Empty: nothing but that, or too much.
  [[nodiscard]] virtual std::string jit_files() const { return {}; }

  // Of a reference: in how many rows its last call took some of several equals (reference/engine.h).
  [[nodiscard]] virtual std::uint64_t tied_rows() const { return 0; }
};

// A function of a shared library by the C calling convention: inputs in order, outputs in order, then the
// variable axes as int64_t, then on CUDA the stream; tensors are bare pointers, scalars are passed by value.
// Opens the library (its constructors run here) and looks the symbol up. Throws Error.
[[nodiscard]] std::unique_ptr<Target> make_library_target(const std::string& path, const std::string& symbol,
                                                          bool returns_status);

// A definition's Python reference in the native engine; `document` is JSON {"source", "outputs": [names]}.
// The engine uses `gpu` for large tensors (null: it does not). `engine` receives the engine's description.
// Throws Error.
[[nodiscard]] std::unique_ptr<Target> make_reference_target(const std::string& document, unsigned threads,
                                                            std::shared_ptr<ops::Gpu> gpu,
                                                            std::string& engine);

}  // namespace fib::worker
