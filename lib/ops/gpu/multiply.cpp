#include <algorithm>

#include "ops/elementwise.h"
#include "ops/gpu/operands.h"
#include "ops/gpu/operations.h"

namespace fib::ops::gpu {
namespace {

// Multiply-adds that count as much as one element of an element-wise operation.
constexpr double kMultiplyAddsAnElement = 256;
constexpr std::int64_t kMostInGrid = 32768;  // batches in one launch; a grid's z has 16 bits
// The sum over k is cut only into parts that are worth a block's start.
constexpr std::int64_t kShortestSplit = 256;
constexpr std::int64_t kSplitStep = 32;  // the largest depth of a tile
constexpr unsigned kTensorCoreBytes =
    4 * 2 * 128 * 40 * 2;  // stages, operands, lines, pitch (tensor_cores.cuh)

struct Kernel {
  Program program;
  std::int64_t tile_m;
  std::int64_t tile_n;
  unsigned shared_bytes;
};

std::int64_t tiles(std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile; }

bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

// Dimension `dim` can be walked through element by element.
bool is_dense(const Tensor& t, int dim) { return t.stride(dim) == 1 || t.size(dim) == 1; }

std::int64_t stride_of(const Tensor& t, int dim) { return t.size(dim) == 1 ? 0 : t.stride(dim); }

// For tensor cores: one of the two inner dimensions lies side by side.
Tensor with_dense_lines(const Runtime& runtime, const Tensor& t) {
  return is_dense(t, 1) || is_dense(t, 2) ? t : cloned(runtime, t);
}

// Every line of an operand whose dimension `dense` lies side by side begins at a multiple of 16 bytes.
bool is_aligned(const Tensor& t, int dense, u64 address) {
  return address % 16 == 0 && stride_of(t, 3 - dense) % 8 == 0 && stride_of(t, 0) % 8 == 0;
}

std::string flag(bool value) { return value ? "1" : "0"; }

Kernel tensor_core_kernel(const Tensor& a, const Tensor& b, Product& p) {
  const bool a_by_k = is_dense(a, 2);
  const bool b_by_k = is_dense(b, 1);
  (a_by_k ? p.a_column : p.a_row) = 1;
  (b_by_k ? p.b_row : p.b_column) = 1;
  const bool aligned = is_aligned(a, a_by_k ? 2 : 1, p.a) && is_aligned(b, b_by_k ? 1 : 2, p.b);
  const Program program{"tensor_cores",
                        {{"FIB_BFLOAT16", flag(a.dtype == DType::kBFloat16)},
                         {"FIB_A_BY_K", flag(a_by_k)},
                         {"FIB_B_BY_K", flag(b_by_k)},
                         {"FIB_ALIGNED", flag(aligned)}}};
  return {program, 128, 128, kTensorCoreBytes};
}

Kernel plain_kernel(const Product& p, DType dtype) {
  const bool is_double = dtype == DType::kFloat64;
  const auto tile = [&](std::int64_t size) { return is_double ? 64 : size <= 32 ? 32 : 128; };
  const Program program{"multiply",
                        {{"FIB_REAL", real_of(dtype)},
                         {"FIB_TILE_M", std::to_string(tile(p.m))},
                         {"FIB_TILE_N", std::to_string(tile(p.n))}}};
  return {program, tile(p.m), tile(p.n), 0};
}

// Cuts the sum over k where the tiles alone would leave multiprocessors idle.
void split(const Runtime& runtime, const Kernel& kernel, Product& p) {
  const std::int64_t blocks = tiles(p.m, kernel.tile_m) * tiles(p.n, kernel.tile_n) * p.batches;
  const std::int64_t room = 2 * std::int64_t{runtime.gpu->multiprocessors()} / blocks;
  const std::int64_t parts =
      std::clamp<std::int64_t>(std::min(room, std::int64_t{p.k} / kShortestSplit), 1, 256);
  p.split_length = tiles(tiles(p.k, parts), kSplitStep) * kSplitStep;
  p.splits = tiles(p.k, p.split_length);
}

void launch(const Runtime& runtime, const Kernel& kernel, DType dtype, const View& c, Product p) {
  split(runtime, kernel, p);
  const auto sums = static_cast<std::size_t>(p.splits * p.batches * p.m * p.n);
  const Scratch workspace(runtime, p.splits > 1 ? sums * real_size(dtype) : 8);
  if (p.splits > 1 && workspace.address() != 0) {
    p.workspace = workspace.address();
  } else {
    p.splits = 1;
    p.split_length = p.k;
  }
  const Grid grid{static_cast<unsigned>(tiles(p.m, kernel.tile_m)),
                  static_cast<unsigned>(tiles(p.n, kernel.tile_n)),
                  static_cast<unsigned>(p.batches * p.splits), kernel.shared_bytes};
  runtime.gpu->run(kernel.program, "fib_multiply", grid, p);
  if (p.workspace == 0) return;
  const i64 count = p.batches * p.m * p.n;
  runtime.gpu->run(program_of("join", {dtype}, count, dtype), "fib_join", {blocks_for(runtime, count)}, p, c);
}

bool multiply_all(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c) {
  View from_a{};
  View from_b{};
  View to{};
  // Kernels read matrices from memory, even one of a single element.
  const auto address = [&](const Tensor& t, View& view) {
    const Span span = span_of(t);
    const DeviceAddress storage = t.storage->on_device(runtime.gpu, span.begin, span.end);
    view.data = storage + static_cast<DeviceAddress>(t.offset) * t.element_size();
    return storage != 0;
  };
  if (!address(a, from_a) || !address(b, from_b) || !to_write(runtime, c, to)) return false;
  Product p{};
  p.a = from_a.data;
  p.b = from_b.data;
  p.c = to.data;
  p.batches = c.size(0);
  p.m = c.size(1);
  p.n = c.size(2);
  p.k = a.size(2);
  p.a_batch = stride_of(a, 0), p.a_row = stride_of(a, 1), p.a_column = stride_of(a, 2);
  p.b_batch = stride_of(b, 0), p.b_row = stride_of(b, 1), p.b_column = stride_of(b, 2);
  p.c_batch = p.m * p.n, p.c_row = p.n;
  const Kernel kernel = is_half(c.dtype) ? tensor_core_kernel(a, b, p) : plain_kernel(p, c.dtype);
  if (tiles(p.n, kernel.tile_n) > 65535) return false;
  launch(runtime, kernel, c.dtype, to, p);
  return true;
}

}  // namespace

bool multiply(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c) {
  if (!runtime.gpu || !tensor::is_floating(c.dtype) || is_float8(c.dtype) || !c.is_contiguous()) return false;
  const double work =
      static_cast<double>(c.numel()) * static_cast<double>(a.size(2)) / kMultiplyAddsAnElement;
  if (!wanted(runtime, static_cast<std::int64_t>(work), {&a, &b})) return false;
  const Tensor left = is_half(c.dtype) ? with_dense_lines(runtime, a) : a;
  const Tensor right = is_half(c.dtype) ? with_dense_lines(runtime, b) : b;
  for (std::int64_t first = 0; first < c.size(0); first += kMostInGrid) {
    const std::int64_t count = std::min(kMostInGrid, c.size(0) - first);
    if (!multiply_all(runtime, narrow(left, 0, first, count), narrow(right, 0, first, count),
                      narrow(c, 0, first, count)))
      return false;
  }
  return true;
}

}  // namespace fib::ops::gpu
