#include <algorithm>
#include <array>

#include "ops/gpu/operands.h"
#include "ops/gpu/operations.h"

namespace fib::ops::gpu {
namespace {

// Rows of at least this length get a whole block of threads.
constexpr std::int64_t kLongRow = 512;
// A part of a row that is cut up is at least this long.
constexpr std::int64_t kShortestPart = 4096;

// The names of kernels/ops/reduce.cuh, in the order of the enum.
constexpr std::array<const char*, 8> kReductions = {"Sum", "Mean", "Prod", "Max",
                                                    "Min", "Any",  "All",  "Norm"};

RowShape shape_of(std::int64_t rows, std::int64_t length) {
  RowShape shape{};
  shape.rows = rows;
  shape.length = length;
  shape.parts = 1;
  shape.part_length = length;
  shape.group = length >= kLongRow ? 256 : 32;
  return shape;
}

// Few long rows are cut up, so that all multiprocessors work.
RowShape cut_up(const Runtime& runtime, RowShape shape) {
  const std::int64_t wanted_units = 4 * std::int64_t{runtime.gpu->multiprocessors()};
  const std::int64_t most = shape.length / kShortestPart;
  const std::int64_t parts = std::min(most, wanted_units / std::max<std::int64_t>(shape.rows, 1));
  if (parts <= 1) return shape;
  shape.part_length = (shape.length + parts - 1) / parts;
  shape.parts = (shape.length + shape.part_length - 1) / shape.part_length;
  return shape;
}

Grid grid_of(const Runtime& runtime, const RowShape& shape) {
  const std::int64_t units = shape.rows * shape.parts;
  return {blocks_for(runtime, units * shape.group)};
}

void run_reduction(const Runtime& runtime, Program program, const Walk<1>& walk, const View& output,
                   const RowShape& whole) {
  const RowShape cut = cut_up(runtime, whole);
  const std::size_t state_bytes = cut.parts == 1 ? 0 : static_cast<std::size_t>(cut.rows * cut.parts) * 8;
  const Scratch states(runtime, std::max<std::size_t>(state_bytes, 8));
  if (cut.parts == 1 || states.address() == 0) {
    runtime.gpu->run(program, "fib_reduce", grid_of(runtime, whole), walk, whole, output, DeviceAddress{0});
    return;
  }
  runtime.gpu->run(program, "fib_reduce", grid_of(runtime, cut), walk, cut, output, states.address());
  define(program, "FIB_JOIN_PARTS", "1");
  runtime.gpu->run(program, "fib_reduce_parts", {blocks_for(runtime, cut.rows * 256)}, states.address(), cut,
                   output);
}

}  // namespace

bool reduce(const Runtime& runtime, Reduction reduction, const Tensor& rows, std::int64_t count,
            const Tensor& output) {
  if (rows.numel() == 0 || !wanted(runtime, rows.numel(), {&rows})) return false;
  const auto walk = walk_of(runtime, rows);
  View view{};
  if (!walk || !to_write(runtime, output, view)) return false;
  const RowShape shape = shape_of(count, rows.numel() / count);
  const bool exponentials = reduction == Reduction::kLogSumExp;
  Program program =
      program_of(exponentials ? "rows" : "reduce", {rows.dtype, output.dtype}, walk->count, rows.dtype);
  if (exponentials) {
    define(program, "FIB_LOGSUMEXP", "1");
    runtime.gpu->run(program, "fib_logsumexp", grid_of(runtime, shape), *walk, shape, view);
    return true;
  }
  define(program, "FIB_REDUCTION", kReductions.at(static_cast<std::size_t>(reduction)));
  run_reduction(runtime, program, *walk, view, shape);
  return true;
}

bool extreme(const Runtime& runtime, Extreme extreme, const Tensor& rows, std::int64_t count,
             const Tensor& values, const Tensor& indices) {
  if (rows.numel() == 0 || !wanted(runtime, rows.numel(), {&rows})) return false;
  const auto walk = walk_of(runtime, rows);
  View value_view{};
  View index_view{};
  if (!walk || !to_write(runtime, values, value_view) || !to_write(runtime, indices, index_view))
    return false;
  const RowShape shape = shape_of(count, rows.numel() / count);
  Program program = program_of("rows", {rows.dtype}, walk->count, rows.dtype);
  define(program, "FIB_LARGEST", extreme == Extreme::kMax ? "true" : "false");
  runtime.gpu->run(program, "fib_extreme", grid_of(runtime, shape), *walk, shape, value_view, index_view);
  return true;
}

bool softmax(const Runtime& runtime, SoftmaxKind kind, const Tensor& rows, const Tensor& output) {
  if (rows.numel() == 0 || !wanted(runtime, rows.numel(), {&rows})) return false;
  const auto walk = walk_of(runtime, rows);
  View view{};
  if (!walk || !to_write(runtime, output, view)) return false;
  const std::int64_t length = rows.rank() == 0 ? 1 : rows.shape.back();
  const RowShape shape = shape_of(rows.numel() / length, length);
  Program program = program_of("rows", {rows.dtype}, walk->count, rows.dtype);
  define(program, "FIB_SOFTMAX", "1");
  runtime.gpu->run(program, "fib_softmax", grid_of(runtime, shape), *walk, shape, view,
                   i32{kind == SoftmaxKind::kLogSoftmax ? 1 : 0});
  return true;
}

bool scan(const Runtime& runtime, Scan kind, const Tensor& rows, const Tensor& output) {
  if (rows.numel() == 0 || !wanted(runtime, rows.numel(), {&rows})) return false;
  const auto walk = walk_of(runtime, rows);
  View view{};
  if (!walk || !to_write(runtime, output, view)) return false;
  const std::int64_t length = rows.rank() == 0 ? 1 : rows.shape.back();
  RowShape shape = shape_of(rows.numel() / length, length);
  shape.group = 256;
  Program program = program_of("rows", {rows.dtype, output.dtype}, walk->count, rows.dtype);
  define(program, "FIB_SCAN", "1");
  runtime.gpu->run(program, "fib_scan", grid_of(runtime, shape), *walk, shape, view,
                   i32{kind == Scan::kProduct ? 1 : 0});
  return true;
}

}  // namespace fib::ops::gpu
