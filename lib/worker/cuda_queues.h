#pragma once

#include <cstdlib>

namespace fib::worker {

// Asks the CUDA driver for contexts with one hardware queue for kernels in this process. For processes that
// queue all their work on one stream, thus the judge, the native reference and workers for kernels that fib
// launches itself: the driver makes contexts of several processes one after another, and the 8 queues that it
// makes by default take more than half of that time (measured on an H200: three contexts made side by side
// 0.30 s, with one queue each 0.11 s; their ends 0.21 s and 0.11 s). Not for solutions with code on the host,
// whose streams would wait for each other. To be called before the driver is opened, while the process has
// one thread.
inline void use_one_cuda_queue() { ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1); }

}  // namespace fib::worker
