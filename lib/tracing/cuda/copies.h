#pragma once

#include <functional>
#include <memory>

#include "cuda/driver.h"
#include "tracing/device_copies.h"

namespace fib::tracing::cuda {

// Copies by CUDA's driver, whose table `open` gives; it is called once, by the first call that needs it, and
// again after it has thrown.
//
// Each context has a pool of memory of its own (cuMemPool_st, which keeps at most `limit` bytes of what was
// freed), a stream that waits for no other, and a page-locked buffer. The thread's capture mode is "relaxed"
// while the driver is called, so that captures of other threads go on.
[[nodiscard]] std::unique_ptr<DeviceCopies> make_copies(std::function<fib::cuda::Driver()> open,
                                                        std::uint64_t limit);

}  // namespace fib::tracing::cuda
