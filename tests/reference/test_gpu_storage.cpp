#include <catch2/catch.hpp>

#include "emulation/emulation.h"
#include "ops/elementwise.h"
#include "ops/gpu/cuda_gpu.h"
#include "ops/reduce.h"
#include "reference/gpu_cases.h"

// What is copied to and from the device, and what happens when it has no memory; on an emulated device.
namespace {

using namespace fib::test;  // NOLINT: all of it is used
using namespace fib::ops;   // NOLINT
namespace emulation = fib::emulation;

constexpr std::size_t kMiB = std::size_t{1} << 20U;

Runtime make_runtime(std::int64_t gpu_from) {
  static const auto gpu =
      fib::ops::gpu::open_with(emulation::driver(), emulation::nvrtc(), emulation::uuid(), 2);
  return runtime_with(gpu, gpu_from);
}

Tensor borrowed(HostTensor& host) {
  Tensor tensor;
  tensor.dtype = host.dtype;
  tensor.shape = host.shape;
  tensor.strides = fib::tensor::contiguous_strides(host.shape);
  tensor.storage = Storage::borrow(host.bytes.data(), host.bytes.size());
  return tensor;
}

Tensor doubled(const Runtime& runtime, const Tensor& tensor) {
  return binary(runtime, binary_op("add"), {tensor, false}, {tensor, false});
}

std::vector<float> floats_of(const Tensor& tensor) {
  const auto* data = reinterpret_cast<const float*>(tensor.read());
  return {data, data + tensor.numel()};
}

TEST_CASE("small operations stay on the CPU, large ones and what follows them go to the GPU",
          "[gpu-emulated]") {
  const Runtime runtime = make_runtime(1000);
  HostTensor small = counting({10});
  HostTensor large = counting({2000});
  CHECK_FALSE(doubled(runtime, borrowed(small)).storage->lives_on_device());
  const Tensor result = doubled(runtime, borrowed(large));
  CHECK(result.storage->lives_on_device());
  // One row of it is small, but lies there.
  CHECK(doubled(runtime, select(try_view(result, {200, 10}).value(), 0, 7)).storage->lives_on_device());
}

TEST_CASE("only the part that an operation reads is brought to the GPU, and only once", "[gpu-emulated]") {
  const Runtime runtime = make_runtime(0);
  HostTensor host = counting({16, std::int64_t{kMiB} / 8});  // 8 MiB
  const Tensor tensor = borrowed(host);
  const std::size_t before = emulation::uploaded_bytes();
  const Tensor row = doubled(runtime, select(tensor, 0, 5));
  CHECK(emulation::uploaded_bytes() - before <= 2 * kMiB);
  CHECK(floats_of(row).at(3) == 2 * floats_of(select(tensor, 0, 5)).at(3));
  const std::size_t again = emulation::uploaded_bytes();
  (void)doubled(runtime, select(tensor, 0, 5));
  CHECK(emulation::uploaded_bytes() == again);
  (void)doubled(runtime, tensor);
  CHECK(emulation::uploaded_bytes() - before == 8 * kMiB);
}

TEST_CASE("a number is read from the GPU without the rest, and reading leaves the copy there",
          "[gpu-emulated]") {
  const Runtime runtime = make_runtime(0);
  HostTensor host = counting({std::int64_t{kMiB}});
  const Tensor tensor = doubled(runtime, borrowed(host));
  const std::size_t before = emulation::downloaded_bytes();
  CHECK(item_as_double(select(tensor, 0, 1234)) == 2468);
  CHECK(emulation::downloaded_bytes() - before == 4);
  // Sorting is the CPU's.
  (void)first_sorted(runtime, tensor, 3, 0, Order::kDescending, true);
  CHECK_FALSE(tensor.storage->lives_on_device());
  const std::size_t uploaded = emulation::uploaded_bytes();
  (void)doubled(runtime, tensor);
  CHECK(emulation::uploaded_bytes() == uploaded);
}

TEST_CASE("what the host writes reaches the GPU, and the other way round", "[gpu-emulated]") {
  const Runtime runtime = make_runtime(0);
  HostTensor host = counting({3, 4});
  const Tensor tensor = borrowed(host);
  CHECK(floats_of(doubled(runtime, tensor)).at(5) == 10);
  reinterpret_cast<float*>(tensor.data())[5] = 50;
  CHECK(floats_of(doubled(runtime, tensor)).at(5) == 100);
  // In place, a part of the caller's memory: the rest stays.
  unary_in_place(runtime, unary_op("neg"), select(tensor, 0, 1));
  CHECK(tensor.storage->lives_on_device());
  CHECK(floats_of(tensor) == std::vector<float>{0, 1, 2, 3, -4, -50, -6, -7, 8, 9, 10, 11});
  CHECK(host.values().at(5) == -50);
}

TEST_CASE("without device memory the CPU does the work", "[gpu-emulated]") {
  // A device of its own, that keeps no memory of other tests.
  const Runtime runtime = runtime_with(
      fib::ops::gpu::open_with(emulation::driver(), emulation::nvrtc(), emulation::uuid(), 1), 0);
  HostTensor host = counting({std::int64_t{kMiB}});
  emulation::set_device_memory(emulation::device_bytes_in_use() + kMiB);
  const std::size_t before = emulation::launches();
  const Tensor result = doubled(runtime, borrowed(host));
  CHECK(emulation::launches() == before);
  CHECK_FALSE(result.storage->lives_on_device());
  CHECK(floats_of(result).at(777) == 1554);
  emulation::set_device_memory(std::size_t{4} << 30U);
  CHECK(doubled(runtime, borrowed(host)).storage->lives_on_device());
}

TEST_CASE("memory of tensors that are gone is used again, and given back in the end", "[gpu-emulated]") {
  const Runtime runtime = make_runtime(0);
  HostTensor host = counting({2 * std::int64_t{kMiB}});
  const Tensor tensor = borrowed(host);
  (void)doubled(runtime, tensor);
  const std::size_t before = emulation::device_bytes_in_use();
  for (int i = 0; i < 5; ++i) (void)doubled(runtime, tensor);
  CHECK(emulation::device_bytes_in_use() == before);
  {
    HostTensor huge = counting({80 * std::int64_t{kMiB}});
    (void)converted(runtime, borrowed(huge), DType::kFloat32);
    CHECK(emulation::device_bytes_in_use() > 600 * kMiB);
  }
  runtime.gpu->trim();
  CHECK(emulation::device_bytes_in_use() < 300 * kMiB);
}

}  // namespace
