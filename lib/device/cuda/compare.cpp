#include "device/cuda/compare.h"

#include <cstring>

namespace fib::device::cuda {

static_assert(sizeof(Findings) == 8 * sizeof(std::uint64_t));

Comparer::Comparer(const Context& context, Kernels& kernels)
    : context_(context),
      kernels_(kernels),
      host_(context, sizeof(Findings)),
      device_(context, sizeof(Findings)) {}

Findings Comparer::compare(tensor::DType dtype, CUdeviceptr got, CUdeviceptr expected, std::uint64_t count,
                           std::uint64_t poison, double atol, double rtol) {
  const Driver& driver = context_.driver();
  Findings findings;
  std::memcpy(host_.data(), &findings, sizeof findings);
  context_.check(driver.copy_to_device(device_.data(), host_.data(), sizeof findings, context_.stream()),
                 "cuMemcpyHtoDAsync");
  kernels_.compare(dtype, got, expected, count, poison, atol, rtol, device_.data());
  context_.check(driver.copy_to_host(host_.data(), device_.data(), sizeof findings, context_.stream()),
                 "cuMemcpyDtoHAsync");
  context_.wait();
  std::memcpy(&findings, host_.data(), sizeof findings);
  return findings;
}

}  // namespace fib::device::cuda
