#include "ops/strides.h"

#include "util/error.h"

namespace fib::ops {

Strides::Strides(const Tensor& tensor) {
  for (int dim = 0; dim < tensor.rank(); ++dim) {
    const std::int64_t size = tensor.size(dim);
    const std::int64_t stride = tensor.stride(dim);
    if (size == 1) continue;
    const auto last = static_cast<std::size_t>(rank > 0 ? rank - 1 : 0);
    if (rank > 0 && strides[last] == size * stride) {
      shape[last] *= size;
      strides[last] = stride;
      continue;
    }
    if (rank == kMaxRank) throw Error("tensors of more than {} dimensions are not supported", kMaxRank);
    shape[static_cast<std::size_t>(rank)] = size;
    strides[static_cast<std::size_t>(rank)] = stride;
    ++rank;
  }
}

}  // namespace fib::ops
