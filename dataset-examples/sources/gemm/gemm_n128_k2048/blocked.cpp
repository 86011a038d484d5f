// C = A B^T in float16. A panel of rows of A is converted to float32 once and multiplied with four rows of B
// at a time, in tiles of sums that stay in vector registers.

#include <algorithm>
#include <cstdint>

#include "gemm_tile.h"

extern "C" void run(const std::uint16_t* A, const std::uint16_t* B, std::uint16_t* C, std::int64_t M) {
  constexpr std::int64_t N = 128;
  constexpr std::int64_t K = 2048;
  constexpr std::int64_t kPanelRows = 32;  // 256 KB of float32: fits the second level cache
  static_assert(N % kTileColumns == 0);
  alignas(64) float a[kPanelRows * K];
  alignas(64) float b[kTileColumns * K];
  for (std::int64_t m = 0; m < M; m += kPanelRows) {
    const std::int64_t rows = std::min(kPanelRows, M - m);
    convert_rows<K>(A + m * K, rows, a);
    for (std::int64_t n = 0; n < N; n += kTileColumns) {
      convert_rows<K>(B + n * K, kTileColumns, b);
      multiply_columns<K>(a, rows, b, C + m * N + n, N);
    }
  }
}
