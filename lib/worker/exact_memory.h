#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "eval/layout.h"
#include "worker/stage.h"

namespace fib::worker {

// An allocation of its own for each input and output, of exactly its size, so that a tool sees where a
// solution leaves one. They live as long as this object. One thread.
class ExactMemory {
 public:
  virtual ~ExactMemory() = default;

  // The layout with addresses in place of offsets: for buffers that begin at address 0.
  [[nodiscard]] const eval::Layout& layout() const { return layout_; }
  // Buffers that begin there, on the stage's stream.
  [[nodiscard]] Buffers buffers(const std::byte* scalars) const {
    return {nullptr, nullptr, scalars, stream_};
  }

  // A profiler shall look at what comes, until it shall not any more.
  virtual void begin_profile() {}
  virtual void end_profile() {}

  // Waits until all work on the device is done. Throws Error with the device's own sentence.
  virtual void wait() = 0;

 protected:
  eval::Layout layout_;
  void* stream_ = nullptr;
};

// Of the stage's device, with `inputs` (laid out by the layout) in it. Throws Error.
[[nodiscard]] std::unique_ptr<ExactMemory> make_exact_memory(Stage& stage, bool on_cuda,
                                                             const eval::Layout& layout,
                                                             const std::vector<std::byte>& inputs);

// The same on a stage made by make_cuda_stage, which must outlive it.
[[nodiscard]] std::unique_ptr<ExactMemory> make_cuda_exact_memory(Stage& stage, const eval::Layout& layout,
                                                                  const std::vector<std::byte>& inputs);

}  // namespace fib::worker
