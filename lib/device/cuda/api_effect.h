#pragma once

#include <string_view>

namespace fib::device::cuda {

// What a function of the CUDA driver means for a clock that holds the device back until the host has queued
// its work.
enum class Effect {
  kNone,    // neither work for the device nor a wait: questions about anything but progress, graphs' nodes
  kWork,    // gives a stream something to do and returns
  kOrder,   // queues something that takes no time: an event, a wait for one
  kCopy,    // gives a stream something to do, and may return only when that is done
  kAsk,     // asks whether the device has come somewhere
  kWait,    // waits for the device, or may
  kForget,  // destroys a stream; what was queued there is still done
  kBeginCapture,  // what a stream is given from here on is not done but remembered
  kEndCapture,
};

// Pure. `function` is the driver's name for it, with or without the suffixes of its versions: "cuMemFree_v2",
// "cuLaunchKernel_ptsz". What is not known is taken for a wait, which costs a measurement little and cannot
// hang it.
[[nodiscard]] Effect effect_of(std::string_view function);

}  // namespace fib::device::cuda
