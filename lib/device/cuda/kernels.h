#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "device/cuda/context.h"
#include "tensor/dtype.h"

namespace fib::device::cuda {

// fib's own kernels (kernels/) on one device, queued on fib's stream; nothing here waits. Pointers are device
// addresses aligned to 256 bytes. Throws DriverError.
class Kernels {
 public:
  // `cubin` is the compiled module (compile/device_kernels.h), the whole file.
  Kernels(const Context& context, const std::string& cubin);
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // As tensor::fill_random, tensor::fill_probabilities and tensor::fill_fp8_pages, with the same bits.
  void fill_random(tensor::DType dtype, std::uint64_t key, CUdeviceptr target, std::uint64_t count);
  void fill_probabilities(tensor::DType dtype, std::uint64_t key, CUdeviceptr target, std::uint64_t rows,
                          std::uint64_t columns);
  void fill_fp8_pages(std::uint64_t key, CUdeviceptr target, std::uint64_t pages, std::uint64_t tokens,
                      std::uint64_t values);

  // As tensor::scale_by_power, with the same bits.
  void scale_by_power(tensor::DType dtype, CUdeviceptr target, std::uint64_t count, int exponent);

  // Repeats 8 bytes over `bytes` bytes.
  void poison(std::uint64_t pattern, CUdeviceptr target, std::uint64_t bytes);

  // Reads (writes) `bytes` bytes, a multiple of 16. `never` is where fib_read stores what it never finds.
  void read(CUdeviceptr source, std::uint64_t bytes, CUdeviceptr never);
  void write(CUdeviceptr target, std::uint64_t bytes);

  // Sets the 32-bit word at `differs` to 1 when the buffers differ.
  void differs(CUdeviceptr a, CUdeviceptr b, std::uint64_t bytes, CUdeviceptr differs);

  // As eval::compare: adds to the Findings (kernels/compare.cuh, seven 64-bit words) at `findings`.
  void compare(tensor::DType dtype, CUdeviceptr got, CUdeviceptr expected, std::uint64_t count,
               std::uint64_t poison, double atol, double rtol, CUdeviceptr findings);

  // Keeps the stream busy (kernels/spin.cuh): at least `least_ns`, then until the word at `release` is not 0,
  // but no longer than `limit_ns`.
  void spin(CUdeviceptr release, std::uint64_t least_ns, std::uint64_t limit_ns, CUdeviceptr clocks) {
    spin_on(context_.stream(), release, least_ns, limit_ns, clocks);
  }
  void spin_on(CUstream stream, CUdeviceptr release, std::uint64_t least_ns, std::uint64_t limit_ns,
               CUdeviceptr clocks);

 private:
  CUfunction function(const std::string& name);
  // Enough blocks of 256 threads for `items`, but no more than fill the device a few times.
  [[nodiscard]] unsigned blocks_for(std::uint64_t items) const;
  template <typename... Arguments>
  void launch(const std::string& name, unsigned blocks, unsigned threads, Arguments... arguments) {
    launch_on(context_.stream(), name, blocks, threads, arguments...);
  }
  template <typename... Arguments>
  void launch_on(CUstream stream, const std::string& name, unsigned blocks, unsigned threads,
                 Arguments... arguments);

  const Context& context_;
  CUmodule module_ = nullptr;
  std::map<std::string, CUfunction> functions_;
};

}  // namespace fib::device::cuda
