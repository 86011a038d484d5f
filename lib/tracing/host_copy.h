#pragma once

#include <fib.h>

#include <cstddef>

namespace fib::tracing {

// Copies the elements of a tensor on the CPU to `to`, in row-major order, whatever its strides. Its elements
// have whole bytes.
void copy_elements(const fib_tensor& tensor, std::byte* to);

}  // namespace fib::tracing
