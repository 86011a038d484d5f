#pragma once

#include <functional>

#include "device/cuda/api_watcher.h"
#include "device/cuda/context.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"
#include "device/cuda/segment_recorder.h"
#include "device/cuda/timer.h"

namespace fib::device::cuda {

// Times work of any kind by events behind spins, also work that waits for the device inside and work on
// streams of its own: each stretch between two waits has events and spins of its own, on every stream that it
// uses (segment_recorder.h). A plain call reads what Timer reads. One thread.
class SegmentTimer {
 public:
  // `timer` has measured the empty pair. All must outlive this.
  SegmentTimer(const Context& context, Kernels& kernels, const Timer& timer, ApiWatcher& watcher);

  // As Timer::time. Throws Error where the call gives the device work from other threads that are not to be
  // its own, in other contexts or on streams that it does not name.
  [[nodiscard]] Timing time(const std::function<void()>& work,
                            SegmentRecorder::Threads threads = SegmentRecorder::Threads::kOne);

 private:
  CUresult spin(CUstream stream);
  Timing timing_of(const SegmentRecorder::Result& result) const;

  const Context& context_;
  Kernels& kernels_;
  const Timer& timer_;
  PinnedMemory shared_;  // the spins' release word; the first spin's clocks; the others'
  SegmentRecorder recorder_;
  ApiWatcher& watcher_;
};

}  // namespace fib::device::cuda
