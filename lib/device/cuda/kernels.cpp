#include "device/cuda/kernels.h"

#include <algorithm>
#include <cmath>

namespace fib::device::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksPerMultiprocessor = 32;

std::string named(const char* prefix, tensor::DType dtype) {
  return prefix + std::string(tensor::name_of(dtype));
}

}  // namespace

Kernels::Kernels(const Context& context, const std::string& cubin) : context_(context) {
  context.check(context.driver().module_load(&module_, cubin.data()), "cuModuleLoadData");
}

CUfunction Kernels::function(const std::string& name) {
  auto& function = functions_[name];
  if (function == nullptr) {
    context_.check(context_.driver().module_function(&function, module_, name.c_str()),
                   "cuModuleGetFunction");
  }
  return function;
}

unsigned Kernels::blocks_for(std::uint64_t items) const {
  const std::uint64_t most = std::uint64_t{kBlocksPerMultiprocessor} * context_.multiprocessors();
  return static_cast<unsigned>(std::clamp<std::uint64_t>((items + kThreads - 1) / kThreads, 1, most));
}

template <typename... Arguments>
void Kernels::launch_on(CUstream stream, const std::string& name, unsigned blocks, unsigned threads,
                        Arguments... arguments) {
  std::array<void*, sizeof...(Arguments)> pointers = {&arguments...};
  context_.check(context_.driver().launch(function(name), blocks, 1, 1, threads, 1, 1, 0, stream,
                                          pointers.data(), nullptr),
                 "cuLaunchKernel");
}

void Kernels::fill_random(tensor::DType dtype, std::uint64_t key, CUdeviceptr target, std::uint64_t count) {
  if (count > 0) launch(named("fib_fill_", dtype), blocks_for(count / 4 + 1), kThreads, key, target, count);
}

void Kernels::fill_probabilities(tensor::DType dtype, std::uint64_t key, CUdeviceptr target,
                                 std::uint64_t rows, std::uint64_t columns) {
  if (rows * columns == 0) return;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(rows, 65535));
  launch(named("fib_probabilities_", dtype), blocks, 1024, key, target, rows, columns);
}

void Kernels::fill_fp8_pages(std::uint64_t key, CUdeviceptr target, std::uint64_t pages, std::uint64_t tokens,
                             std::uint64_t values) {
  if (pages * tokens == 0) return;
  launch("fib_fp8_pages", blocks_for(pages * tokens), kThreads, key, target, pages, tokens, values);
}

void Kernels::scale_by_power(tensor::DType dtype, CUdeviceptr target, std::uint64_t count, int exponent) {
  if (count == 0) return;
  launch(named("fib_scale_", dtype), blocks_for(count), kThreads, target, count, std::ldexp(1.0, exponent));
}

void Kernels::poison(std::uint64_t pattern, CUdeviceptr target, std::uint64_t bytes) {
  if (bytes > 0) launch("fib_poison", blocks_for(bytes / 8 + 1), kThreads, pattern, target, bytes);
}

void Kernels::read(CUdeviceptr source, std::uint64_t bytes, CUdeviceptr never) {
  launch("fib_read", blocks_for(bytes / 16), kThreads, source, bytes, never);
}

void Kernels::write(CUdeviceptr target, std::uint64_t bytes) {
  launch("fib_write", blocks_for(bytes / 16), kThreads, target, bytes);
}

void Kernels::differs(CUdeviceptr a, CUdeviceptr b, std::uint64_t bytes, CUdeviceptr differs) {
  if (bytes > 0) launch("fib_differs", blocks_for(bytes / 8 + 1), kThreads, a, b, bytes, differs);
}

void Kernels::compare(tensor::DType dtype, CUdeviceptr got, CUdeviceptr expected, std::uint64_t count,
                      std::uint64_t poison, double atol, double rtol, CUdeviceptr findings) {
  if (count == 0) return;
  const std::uint64_t chunks = count * tensor::bits_of(dtype) / 128 + 1;
  launch(named("fib_compare_", dtype), blocks_for(chunks), kThreads, got, expected, count, poison, atol, rtol,
         findings);
}

void Kernels::spin_on(CUstream stream, CUdeviceptr release, std::uint64_t least_ns, std::uint64_t limit_ns,
                      CUdeviceptr clocks) {
  launch_on(stream, "fib_spin", 1, 1, release, least_ns, limit_ns, clocks);
}

}  // namespace fib::device::cuda
