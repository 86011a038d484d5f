#include "device/cuda/refused_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "cuda/launch_words.h"

namespace fib::device::cuda {
namespace {

constexpr std::size_t kLongestName = 200;

// The run time launches kernels of libraries by handles (CUkernel) that are no functions.
CUfunction function_of(const Context& context, CUfunction handle) {
  int number = 0;
  const auto& driver = context.driver();
  if (driver.function_attribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, handle) == CUDA_SUCCESS) return handle;
  CUfunction function = nullptr;
  const bool is_kernel =
      driver.kernel_function != nullptr && driver.kernel_function(&function, handle) == CUDA_SUCCESS;
  return is_kernel ? function : handle;
}

// Of a kernel, or of the device where the driver does not tell of this kernel.
std::uint64_t most_of(const Context& context, CUfunction function, CUfunction_attribute attribute,
                      CUdevice_attribute of_device) {
  int most = 0;
  const auto& driver = context.driver();
  if (driver.function_attribute(&most, attribute, function) != CUDA_SUCCESS &&
      driver.device_attribute(&most, of_device, context.device()) != CUDA_SUCCESS)
    return UINT64_MAX;
  return static_cast<std::uint64_t>(std::max(0, most));
}

// Nothing where neither is too much.
std::optional<std::string> too_much(const Context& context, const RefusedLaunch& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const CUfunction function = function_of(context, launch.function);
  const std::uint64_t most_threads = most_of(context, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                             CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads > most_threads) return fib::cuda::asks_for_more_threads(threads, most_threads);
  const std::uint64_t most_shared =
      most_of(context, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (launch.shared_bytes > most_shared)
    return fib::cuda::asks_for_more_shared_memory(launch.shared_bytes, most_shared);
  return std::nullopt;
}

}  // namespace

std::string why_refused(const Context& context, const RefusedLaunch& launch) {
  const std::string name =
      launch.name.empty() ? "a kernel" : "the kernel " + launch.name.substr(0, kLongestName);
  if (const auto reason = too_much(context, launch))
    return fmt::format("the driver refused to launch {}: {}", name, *reason);
  return fmt::format("the driver refused to launch {}: {}", name, context.driver().describe(launch.result));
}

}  // namespace fib::device::cuda
