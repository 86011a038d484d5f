#include <cstdio>

#include "device/cuda/compare.h"
#include "device/cuda/timer.h"
#include "gpu/gpu.h"

using namespace fib;
using tensor::DType;

// Not a test (scripts/bench-kernels runs it): the bandwidth of fib's own kernels on 512 MiB.
TEST_CASE("bandwidth of fib's own kernels", "[.bench]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  constexpr std::uint64_t bytes = 512ULL << 20U;
  device::cuda::Timer timer(gpu->context, gpu->kernels);
  const device::cuda::DeviceMemory a(gpu->context, bytes);
  const device::cuda::DeviceMemory b(gpu->context, bytes);
  const device::cuda::DeviceMemory found(gpu->context, 64);
  const auto line = [&](const std::string& name, std::uint64_t moved, const std::function<void()>& work) {
    double best = 1e18;
    for (int i = 0; i < 9; ++i) best = std::min(best, timer.time(work).device_ns);
    std::printf("%-28s %8.1f us %8.0f GB/s\n", name.c_str(), best / 1e3, static_cast<double>(moved) / best);
  };
  line("driver's copy", 2 * bytes, [&] {
    gpu->context.check(gpu->context.driver().copy(b.data(), a.data(), bytes, gpu->context.stream()), "copy");
  });
  line("read", bytes, [&] { gpu->kernels.read(a.data(), bytes, found.data()); });
  line("write", bytes, [&] { gpu->kernels.write(a.data(), bytes); });
  line("poison", bytes, [&] { gpu->kernels.poison(0x0123456789abcdefU, a.data(), bytes); });
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3FN,
                            DType::kFloat64, DType::kInt32, DType::kInt8}) {
    const std::uint64_t count = bytes * 8 / tensor::bits_of(dtype);
    const auto name = std::string(tensor::name_of(dtype));
    line("fill " + name, bytes, [&] { gpu->kernels.fill_random(dtype, 1, a.data(), count); });
    gpu->kernels.fill_random(dtype, 1, b.data(), count);
    const auto compare = [&] {
      gpu->kernels.compare(dtype, a.data(), b.data(), count, ~std::uint64_t{0}, 0.01, 0.01, found.data());
    };
    line("compare " + name + ", equal", 2 * bytes, compare);
    gpu->kernels.fill_random(dtype, 2, b.data(), count);
    line("compare " + name + ", all differ", 2 * bytes, compare);
  }
}
