#include "ops/reduce.h"

#include <array>
#include <cmath>
#include <limits>

#include "ops/accumulators.h"
#include "ops/elementwise.h"
#include "ops/gpu/operations.h"
#include "ops/rows.h"
#include "util/error.h"

namespace fib::ops {
namespace {

// The tensor with the dimensions to reduce at its end, joined to rows.
struct Rows {
  Tensor tensor;        // dimensions kept, then dimensions reduced
  Shape result_shape;   // without the reduced dimensions, or with ones
  std::int64_t count;   // rows
  std::int64_t length;  // elements of a row
};

// Rows whose elements lie far apart are read faster from a copy.
Tensor packed_rows(const Runtime& runtime, const Tensor& tensor) {
  constexpr std::int64_t kWorthwhile = 1 << 14;
  const bool apart = tensor.rank() > 0 && tensor.shape.back() > 1 && tensor.strides.back() > 1;
  return apart && tensor.numel() > kWorthwhile ? contiguous(runtime, tensor) : tensor;
}

Rows make_rows(const Runtime& runtime, const Tensor& tensor, const Dims& dims, KeepDim keep) {
  std::vector<bool> reduced(tensor.shape.size(), dims.empty());
  for (const std::int64_t dim : dims) {
    const int at = wrap_dim(dim, tensor.rank());
    if (tensor.rank() > 0) reduced[static_cast<std::size_t>(at)] = true;
  }
  Rows rows;
  rows.count = rows.length = 1;
  std::vector<std::int64_t> order;
  for (const bool pass : {false, true}) {
    for (std::size_t dim = 0; dim < reduced.size(); ++dim) {
      if (reduced[dim] != pass) continue;
      order.push_back(static_cast<std::int64_t>(dim));
      (pass ? rows.length : rows.count) *= tensor.shape[dim];
    }
  }
  for (std::size_t dim = 0; dim < reduced.size(); ++dim) {
    if (!reduced[dim])
      rows.result_shape.push_back(tensor.shape[dim]);
    else if (keep == KeepDim::kYes)
      rows.result_shape.push_back(1);
  }
  rows.tensor = packed_rows(runtime, permute(tensor, order));
  return rows;
}

// One row of any length.
template <typename Real, template <typename> typename Accumulator>
Wide<Real> reduce_row(const BlockReader<Real>& reader, std::int64_t row, std::int64_t length) {
  std::array<Real, kBlock> buffer;
  Accumulator<Real> accumulator;
  for (std::int64_t at = 0; at < length; at += kBlock) {
    const std::int64_t part = std::min(kBlock, length - at);
    accumulator.add(reader.read(row * length + at, part, buffer.data()), part);
  }
  return accumulator.result(length);
}

// `count` short rows, read at once.
template <typename Real, template <typename> typename Accumulator>
void reduce_rows(const BlockReader<Real>& reader, std::int64_t row, std::int64_t count, std::int64_t length,
                 Wide<Real>* results) {
  std::array<Real, kBlock> buffer;
  const Real* values = reader.read(row * length, count * length, buffer.data());
  for (std::int64_t i = 0; i < count; ++i) {
    Accumulator<Real> accumulator;
    accumulator.add(values + i * length, length);
    results[i] = accumulator.result(length);
  }
}

template <typename Real, template <typename> typename Accumulator>
void run(const Runtime& runtime, const Rows& rows, const Tensor& output, int cost) {
  const BlockReader<Real> reader(rows.tensor);
  const BlockWriter<Wide<Real>> writer(output);
  const bool is_short = rows.length > 0 && rows.length <= kBlock;
  const std::int64_t at_once = is_short ? kBlock / rows.length : 1;
  parallel_for(runtime.threads, rows.count, (rows.length + 1) * cost, at_once,
               [&](std::int64_t begin, std::int64_t end) {
                 std::array<Wide<Real>, kBlock> results;
                 for (std::int64_t row = begin; row < end; row += at_once) {
                   const std::int64_t count = std::min(at_once, end - row);
                   if (is_short) {
                     reduce_rows<Real, Accumulator>(reader, row, count, rows.length, results.data());
                   } else {
                     results[0] = reduce_row<Real, Accumulator>(reader, row, rows.length);
                   }
                   writer.write(row, count, results.data());
                 }
               });
}

template <template <typename> typename Accumulator>
void run_any(const Runtime& runtime, const Rows& rows, const Tensor& output, int cost = 1) {
  with_compute_type(rows.tensor.dtype,
                    [&](auto real) { run<decltype(real), Accumulator>(runtime, rows, output, cost); });
}

DType result_dtype(Reduction reduction, DType input) {
  const bool floating = tensor::is_floating(input);
  switch (reduction) {
    case Reduction::kAny:
    case Reduction::kAll:
      return input == DType::kUInt8 ? input : DType::kBool;
    case Reduction::kSum:
    case Reduction::kProd:
      return floating ? input : DType::kInt64;
    case Reduction::kMean:
    case Reduction::kNorm:
      if (!floating) throw Error("mean and norm need a floating dtype, not {}", tensor::name_of(input));
      return input;
    case Reduction::kLogSumExp:
      return to_floating(input);
    case Reduction::kMax:
    case Reduction::kMin:
      return input;
  }
  return input;
}

void check_input(const Tensor& tensor) {
  if (is_float8(tensor.dtype))
    throw Error("reductions are not defined for {}", tensor::name_of(tensor.dtype));
}

}  // namespace

Tensor reduce(const Runtime& runtime, Reduction reduction, const Tensor& tensor, const Dims& dims,
              KeepDim keep, std::optional<DType> dtype) {
  check_input(tensor);
  Tensor input = dtype ? to_dtype(runtime, tensor, *dtype) : tensor;
  if (reduction == Reduction::kLogSumExp) input = to_dtype(runtime, input, to_floating(input.dtype));
  const Rows rows = make_rows(runtime, input, dims, keep);
  const Tensor output = make_empty(runtime, result_dtype(reduction, input.dtype), rows.result_shape);
  const bool extreme = reduction == Reduction::kMax || reduction == Reduction::kMin;
  if (extreme && rows.length == 0) throw Error("the maximum or minimum of no elements does not exist");
  if (gpu::reduce(runtime, reduction, rows.tensor, rows.count, output)) return output;
  switch (reduction) {
    case Reduction::kSum:
      run_any<SumOf>(runtime, rows, output);
      break;
    case Reduction::kMean:
      run_any<MeanOf>(runtime, rows, output);
      break;
    case Reduction::kProd:
      run_any<ProdOf>(runtime, rows, output);
      break;
    case Reduction::kMax:
      run_any<MaxOf>(runtime, rows, output);
      break;
    case Reduction::kMin:
      run_any<MinOf>(runtime, rows, output);
      break;
    case Reduction::kAny:
      run_any<AnyOf>(runtime, rows, output);
      break;
    case Reduction::kAll:
      run_any<AllOf>(runtime, rows, output);
      break;
    case Reduction::kNorm:
      run_any<NormOf>(runtime, rows, output);
      break;
    case Reduction::kLogSumExp:
      run_any<LogSumExpOf>(runtime, rows, output, 8);
      break;
  }
  return output;
}

Tensor variance(const Runtime& runtime, const Tensor& tensor, const Dims& dims, KeepDim keep,
                double correction) {
  check_input(tensor);
  if (!tensor::is_floating(tensor.dtype))
    throw Error("var and std need a floating dtype, not {}", tensor::name_of(tensor.dtype));
  const Rows rows = make_rows(runtime, tensor, dims, keep);
  const Tensor flat = reshape(runtime, rows.tensor, {rows.count, rows.length});
  const Tensor output = make_empty(runtime, tensor.dtype, {rows.count, 1});
  if (rows.length == 0) {
    copy_into(runtime, scalar_tensor(runtime, DType::kFloat64, std::numeric_limits<double>::quiet_NaN()),
              output);
    return *try_view(output, rows.result_shape);
  }
  with_compute_type(tensor.dtype, [&](auto real) {
    using Real = decltype(real);
    map_rows<Real, double>(runtime, flat, output, 2, [&](const Real* values, double* result) {
      MeanOf<Real> mean;
      mean.add(values, rows.length);
      const auto center = static_cast<double>(mean.result(rows.length));
      double squares = 0;
      for (std::int64_t i = 0; i < rows.length; ++i) {
        const double distance = static_cast<double>(values[i]) - center;
        squares += distance * distance;
      }
      *result = squares / std::max(0.0, static_cast<double>(rows.length) - correction);
    });
  });
  return *try_view(output, rows.result_shape);
}

std::pair<Tensor, Tensor> extreme_along(const Runtime& runtime, Extreme extreme, const Tensor& tensor,
                                        std::int64_t dim, KeepDim keep) {
  check_input(tensor);
  const Rows rows = make_rows(runtime, tensor, {dim}, keep);
  if (rows.length == 0) throw Error("the maximum or minimum of no elements does not exist");
  const Tensor values = make_empty(runtime, tensor.dtype, rows.result_shape);
  const Tensor indices = make_empty(runtime, DType::kInt64, rows.result_shape);
  if (gpu::extreme(runtime, extreme, rows.tensor, rows.count, values, indices)) return {values, indices};
  auto* index = reinterpret_cast<std::int64_t*>(indices.data());
  with_compute_type(tensor.dtype, [&](auto real) {
    using Real = decltype(real);
    const BlockWriter<Real> writer(values);
    const auto better = [&](Real a, Real b) { return extreme == Extreme::kMax ? a > b : a < b; };
    for_rows<Real>(runtime, rows.tensor, 1, [&](std::int64_t row, const Real* x) {
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < rows.length && x[best] == x[best]; ++i) {
        if (better(x[i], x[best]) || x[i] != x[i]) best = i;
      }
      index[row] = best;
      writer.write(row, 1, x + best);
    });
  });
  return {values, indices};
}

}  // namespace fib::ops
