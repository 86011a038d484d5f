#pragma once

#include <thread>
#include <utility>

#include "apply/loaded.h"
#include "cuda/current_context.h"

// What calls on CUDA have in common.
namespace fib::apply {

// What a driver's function that a call needs has ended with: impeded where the program's stream, context or
// memory is at fault, not the solution.
[[nodiscard]] inline CallEnd end_of(CUresult result) {
  switch (result) {
    case CUDA_SUCCESS:
      return CallEnd::done;
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return CallEnd::impeded;
    default:
      return CallEnd::failed;
  }
}

// Calls, in the device's primary context where the thread has none: one that has not called CUDA yet.
template <typename Call>
[[nodiscard]] CUresult in_any_context(const cuda::Driver& driver, std::int32_t device, Call call) {
  const CUresult result = call();
  if (result != CUDA_ERROR_INVALID_CONTEXT) return result;
  try {
    const cuda::CurrentContext current(driver, device);
    return call();
  } catch (const cuda::DriverError& error) {
    return error.code;
  }
}

// What tells streams apart; the per-thread default stream is another one in each thread. A handle may come
// again after its stream was destroyed: fib.h has the program wait for the old work before. cuStreamGetId()
// would tell the two apart, and leave the memory of every stream that is gone.
using StreamKey = std::pair<void*, std::thread::id>;
[[nodiscard]] inline StreamKey key_of(void* stream) {
  const bool is_of_thread = stream == CU_STREAM_PER_THREAD;
  return {stream, is_of_thread ? std::this_thread::get_id() : std::thread::id()};
}

}  // namespace fib::apply
