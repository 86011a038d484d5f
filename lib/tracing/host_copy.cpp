#include "tracing/host_copy.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "arguments/tensors.h"

namespace fib::tracing {

void copy_elements(const fib_tensor& tensor, std::byte* to) {
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  const std::int64_t element = tensor.dtype_bits / 8;
  for (std::size_t i = 0; i < rank; ++i) {
    if (tensor.shape[i] == 0) return;
  }
  // The last axes that lie one behind the other are copied at once; `outer` others are stepped through.
  std::size_t outer = tensor.strides == nullptr ? 0 : rank;
  std::int64_t run = 1;  // elements
  while (outer > 0 && (tensor.shape[outer - 1] == 1 || tensor.strides[outer - 1] == run))
    run *= tensor.shape[--outer];
  if (tensor.strides == nullptr) {
    for (std::size_t i = 0; i < rank; ++i) run *= tensor.shape[i];
  }
  const std::byte* from = arguments::address_of(tensor);
  const auto bytes = static_cast<std::size_t>(run * element);
  std::vector<std::int64_t> place(outer, 0);
  while (true) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < outer; ++i) offset += place[i] * tensor.strides[i];
    std::memcpy(to, from + offset * element, bytes);
    to += bytes;
    std::size_t axis = outer;
    while (axis > 0 && ++place[axis - 1] == tensor.shape[axis - 1]) place[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace fib::tracing
