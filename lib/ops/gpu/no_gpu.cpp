// Stands in for the CUDA side where CUDA's headers were not there to build with.
#include "ops/gpu/gpu.h"
#include "util/error.h"

namespace fib::ops {

std::shared_ptr<Gpu> open_gpu(const std::string&, int) {
  throw Error("this fib was built without CUDA support");
}

}  // namespace fib::ops
