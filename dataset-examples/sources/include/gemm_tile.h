#pragma once

#include <algorithm>
#include <cstdint>

#include "float16.h"
#include "lanes.h"

// Building blocks of C = A B^T with float16 elements and float32 sums. A and B are both contiguous along K,
// so that a tile of C is a handful of dot products over the same vectors: no transposition, and each load
// serves several sums.
constexpr int kTileColumns = 4;  // rows of B
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kTileRows = 4;  // rows of A: sixteen sums and their operands, for 32 vector registers
#else
constexpr int kTileRows = 3;  // twelve sums, for 16 vector registers
#endif

// Converts `rows` rows of K float16 numbers.
template <std::int64_t K>
inline void convert_rows(const std::uint16_t* __restrict__ source, std::int64_t rows,
                         float* __restrict__ target) {
  for (std::int64_t i = 0; i < rows * K; ++i) target[i] = float16_to_float(source[i]);
}

// C[0..kRows)[0..kTileColumns) from kRows rows of A and kTileColumns rows of B, all K long; `stride` is the
// length of a row of C.
template <std::int64_t K, int kRows>
inline void multiply_tile(const float* a, const float* b, std::uint16_t* c, std::int64_t stride) {
  static_assert(K % kLanes == 0);
  Lanes sums[kRows][kTileColumns] = {};
  for (std::int64_t k = 0; k < K; k += kLanes) {
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kTileColumns; ++j) sums[i][j] += load(a + i * K + k) * load(b + j * K + k);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kTileColumns; ++j) c[i * stride + j] = float_to_float16(sum(sums[i][j]));
  }
}

// kTileColumns columns of C from `rows` rows of A.
template <std::int64_t K>
inline void multiply_columns(const float* a, std::int64_t rows, const float* b, std::uint16_t* c,
                             std::int64_t stride) {
  for (; rows >= kTileRows; rows -= kTileRows, a += kTileRows * K, c += kTileRows * stride) {
    multiply_tile<K, kTileRows>(a, b, c, stride);
  }
  if (rows == 3) multiply_tile<K, 3>(a, b, c, stride);
  if (rows == 2) multiply_tile<K, 2>(a, b, c, stride);
  if (rows == 1) multiply_tile<K, 1>(a, b, c, stride);
}
