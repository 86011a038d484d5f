#pragma once

#include <vector>

#include "ops/blocks.h"

namespace fib::ops {

// Calls body(row, values) for every row of `tensor`, whose last dimension is what lies in a row; values are
// the row's elements as Real. Rows are spread over the threads. `cost` is the work per element relative to an
// addition. A tensor without dimensions is one row of one element.
template <typename Real, typename Body>
void for_rows(const Runtime& runtime, const Tensor& tensor, int cost, const Body& body) {
  const std::int64_t length = tensor.rank() == 0 ? 1 : tensor.shape.back();
  const std::int64_t rows = length == 0 ? 0 : tensor.numel() / length;
  const BlockReader<Real> reader(tensor);
  parallel_for(runtime.threads, rows, length * cost, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Real> buffer(static_cast<std::size_t>(length));
    for (std::int64_t row = begin; row < end; ++row)
      body(row, reader.read(row * length, length, buffer.data()));
  });
}

// Likewise, and what body(values, results) puts into results becomes the row of `output` (same number of
// rows).
template <typename Real, typename Result = Real, typename Body>
void map_rows(const Runtime& runtime, const Tensor& input, const Tensor& output, int cost, const Body& body) {
  const std::int64_t length = output.rank() == 0 ? 1 : output.shape.back();
  const BlockWriter<Result> writer(output);
  for_rows<Real>(runtime, input, cost, [&](std::int64_t row, const Real* values) {
    thread_local std::vector<Result> buffer;
    buffer.resize(static_cast<std::size_t>(length));
    Result* target = writer.target(row * length, buffer.data());
    body(values, target);
    writer.write(row * length, length, target);
  });
}

}  // namespace fib::ops
