#pragma once

#include <cstdint>

#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"

namespace fib::device::cuda {

// What kernels/compare.cuh found; the same words in the same order.
struct Findings {
  std::uint64_t bad = 0;
  std::uint64_t unwritten = 0;
  double absolute_error = 0;
  double relative_error = 0;
  std::uint64_t nan_disagrees = 0;
  std::uint64_t infinity_disagrees = 0;
  std::uint64_t first_bad = ~std::uint64_t{0};  // flat index
  std::uint64_t first_unwritten = ~std::uint64_t{0};
};

// Compares one output after the other by the rule of eval/compare.h. One thread.
class Comparer {
 public:
  Comparer(const Context& context, Kernels& kernels);

  // `poison` is 8 bytes of the poison's repeated element. Both sides are padded to 16 bytes. Waits for fib's
  // stream. Throws DriverError.
  [[nodiscard]] Findings compare(tensor::DType dtype, CUdeviceptr got, CUdeviceptr expected,
                                 std::uint64_t count, std::uint64_t poison, double atol, double rtol);

 private:
  const Context& context_;
  Kernels& kernels_;
  PinnedMemory host_;
  DeviceMemory device_;
};

}  // namespace fib::device::cuda
