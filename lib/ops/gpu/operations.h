#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/reduce.h"

// The operations that a GPU can take over. The CPU's operations call them once operands have been checked and
// broadcast. Each does its work on the runtime's GPU and returns true, or returns false having done nothing,
// and the CPU goes on. They decline where there is no GPU, where the tensors are small and lie in the host's
// memory (Runtime::gpu_from), where the device is short of memory, and what they do not know. Results are
// rounded as the CPU's are. They throw Error when the device fails.
namespace fib::ops::gpu {

// Zeros in a tensor that was just made.
[[nodiscard]] bool clear(const Runtime& runtime, const Tensor& target);

// `name` is the operation's (see elementwise.h), `compute` the dtype to compute in. All have one shape.
[[nodiscard]] bool unary(const Runtime& runtime, std::string_view name, DType compute, const Tensor& input,
                         const Tensor& output);
[[nodiscard]] bool binary(const Runtime& runtime, std::string_view name, DType compute, const Tensor& a,
                          const Tensor& b, const Tensor& output);
[[nodiscard]] bool where(const Runtime& runtime, const Tensor& condition, const Tensor& a, const Tensor& b,
                         const Tensor& output);
// Copies with conversion; the tensors do not overlap.
[[nodiscard]] bool copy(const Runtime& runtime, const Tensor& source, const Tensor& target);

// c = a b for batches of matrices (three dimensions, one batch size); c is packed.
[[nodiscard]] bool multiply(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c);

// `rows` has the dimensions to reduce last, `count` is the number of rows; results are packed.
[[nodiscard]] bool reduce(const Runtime& runtime, Reduction reduction, const Tensor& rows, std::int64_t count,
                          const Tensor& output);
[[nodiscard]] bool extreme(const Runtime& runtime, Extreme extreme, const Tensor& rows, std::int64_t count,
                           const Tensor& values, const Tensor& indices);

// Along the last dimension; both are packed.
[[nodiscard]] bool softmax(const Runtime& runtime, SoftmaxKind kind, const Tensor& rows,
                           const Tensor& output);
[[nodiscard]] bool scan(const Runtime& runtime, Scan kind, const Tensor& rows, const Tensor& output);

enum class Direction { kGather, kScatter };
// Copies parts between their places in a tensor and a packed one. Part i of the scattered side is `part`
// moved by places[i] elements, part i of the packed side is `packed` moved by i * step. Where places repeat
// in a scatter, the last wins.
[[nodiscard]] bool move_parts(const Runtime& runtime, Direction direction,
                              std::span<const std::int64_t> places, const Tensor& part, const Tensor& packed,
                              std::int64_t step);
// target[.., indices[i], ..] += source[.., i, ..] along `dim`, in order.
[[nodiscard]] bool add_slices(const Runtime& runtime, std::span<const std::int64_t> indices,
                              const Tensor& target, int dim, const Tensor& source);

}  // namespace fib::ops::gpu
