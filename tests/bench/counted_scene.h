#pragma once

#include "bench/fakes.h"

namespace fakes {

inline constexpr int kCounted = 48;  // calls

// Host code on CUDA whose device's work is counted: 0.9 ms a call.
struct CountedScene : Scene {
  explicit CountedScene(double solution_ms = 0.9) {
    use_cuda();
    counts_work = true;
    judge.busy_ns = [solution_ms](int) { return kCounted * solution_ms * kMs; };
  }
};

}  // namespace fakes
