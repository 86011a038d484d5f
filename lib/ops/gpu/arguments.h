#pragma once

#include "tensor/portable.h"

// What kernels/ops/ is given: plain structs that host and device lay out alike.
namespace fib::ops::gpu {

using tensor::i32;
using tensor::i64;
using tensor::u32;
using tensor::u64;

// The numbers of tensor::DType, in its order (operands.cpp compares them). Kernels are compiled for the types
// of their tensors: FIB_TYPE0 is that of view 0, and so on.
enum ElementType : i32 {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat8E4M3FN,
  kFloat8E5M2,
  kFloat4E2M1,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool,
};

// Dimensions that are left when neighbours that lie end to end are joined.
constexpr int kMostDims = 8;

// One tensor over the shape of a Walk. A single element that only the host has travels as its bits, and
// `data` is 0.
struct View {
  u64 data;       // address of the first element
  u64 immediate;  // the element's bits when data is 0
  i64 type;       // ElementType, for the host
  i64 strides[kMostDims];
};

// Several tensors that are walked through together, in row-major order of one shape.
template <int kViews>
struct Walk {
  i64 count;
  i32 rank;
  i32 unused;
  i64 shape[kMostDims];
  View view[kViews];
};

// Rows to reduce: row r is elements [r * length, (r + 1) * length) of the walk. A row may be cut into `parts`
// of `part_length`, whose results are joined by a second kernel.
struct RowShape {
  i64 rows;
  i64 length;
  i64 parts;
  i64 part_length;
  i32 group;  // threads that work on one row together: 32 or 256
  i32 unused;
};

// One of many equal parts of a tensor moved to or from another: see kernels/ops/move.cuh.
struct PartMove {
  i64 parts;
  i64 step;    // from one part of the packed side to the next, in elements
  u64 places;  // address of one i64 a part: where it lies in the scattered side, in elements; skipped below 0
  u64 items;   // address of one i64 a part: its number on the packed side; 0: they are in order
};

// C = A B for `batches` matrices; strides in elements. The sum over k may be cut into `splits`, each of which
// writes its part of C as compute type to the workspace.
struct Product {
  u64 a;
  u64 b;
  u64 c;
  u64 workspace;  // splits * batches * m * n elements of the type to add in; 0: there is one split
  i64 m;
  i64 n;
  i64 k;
  i64 a_row, a_column, a_batch;
  i64 b_row, b_column, b_batch;
  i64 c_row, c_batch;
  i64 batches;
  i64 splits;
  i64 split_length;  // of k, a multiple of the tile's depth
};

}  // namespace fib::ops::gpu
