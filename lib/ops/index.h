#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ops/tensor.h"

namespace fib::ops {

// One part of x[...]. Absent slice bounds mean the ends.
struct SliceIndex {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t step = 1;
};
struct NewAxis {};
struct EllipsisIndex {};
// A tensor is of an integer dtype, or a mask of bool.
using IndexPart = std::variant<std::int64_t, SliceIndex, NewAxis, EllipsisIndex, Tensor>;
using Index = std::vector<IndexPart>;

// x[index] by torch's rules: a view when the index holds no tensor of at least one dimension, else a copy.
// Indices are counted from the end when negative. Throws Error when they are out of range.
[[nodiscard]] Tensor get_index(const Runtime& runtime, const Tensor& tensor, const Index& index);

// x[index] = value; the value is broadcast and converted. Of several values for one element the last wins.
void set_index(const Runtime& runtime, const Tensor& tensor, const Index& index, const Tensor& value);

// The positions of all elements that are not zero: int64 of [count, rank].
[[nodiscard]] Tensor nonzero(const Runtime& runtime, const Tensor& tensor);

// Whole slices along `dim`, in the order of `indices` (int64 or int32, one dimension).
[[nodiscard]] Tensor index_select(const Runtime& runtime, const Tensor& tensor, std::int64_t dim,
                                  const Tensor& indices);

enum class IndexWrite { kCopy, kAdd };
// Writes (or adds alpha times) slice i of `source` to slice indices[i] of `tensor` along `dim`.
void index_write(const Runtime& runtime, IndexWrite write, const Tensor& tensor, std::int64_t dim,
                 const Tensor& indices, const Tensor& source, double alpha);

// result[i][j] = tensor[index[i][j]][j] for dim 0, and so on.
[[nodiscard]] Tensor gather(const Runtime& runtime, const Tensor& tensor, std::int64_t dim,
                            const Tensor& indices);

// tensor[index[i][j]][j] = (or +=) source[i][j] for dim 0, and so on. `source` has the dtype of `tensor`, and
// at least the shape of `indices`, or no dimensions.
void scatter(const Runtime& runtime, IndexWrite write, const Tensor& tensor, std::int64_t dim,
             const Tensor& indices, const Tensor& source);

// Repeats every element (slice along `dim`) `repeats` times, or repeats[i] times slice i.
[[nodiscard]] Tensor repeat_interleave(const Runtime& runtime, const Tensor& tensor, const Tensor& repeats,
                                       std::int64_t dim);

}  // namespace fib::ops
