// C = A B^T in float16. Panels of rows of A are shared between threads. A panel is converted to float32 once
// and multiplied with four rows of B at a time, in tiles of sums that stay in vector registers.

#include <algorithm>
#include <cstdint>

#include "gemm_tile.h"

extern "C" void run(const std::uint16_t* A, const std::uint16_t* B, std::uint16_t* C, std::int64_t M) {
  constexpr std::int64_t N = 128;
  constexpr std::int64_t K = 2048;
  constexpr std::int64_t kPanelRows = 16;  // 128 KB of float32: fits the second level cache
  constexpr std::int64_t kWorthThreads = 2 * kPanelRows;
  static_assert(N % kTileColumns == 0);
#pragma omp parallel for schedule(dynamic) if (M >= kWorthThreads)
  for (std::int64_t m = 0; m < M; m += kPanelRows) {
    const std::int64_t rows = std::min(kPanelRows, M - m);
    alignas(64) float a[kPanelRows * K];
    alignas(64) float b[kTileColumns * K];
    convert_rows<K>(A + m * K, rows, a);
    for (std::int64_t n = 0; n < N; n += kTileColumns) {
      convert_rows<K>(B + n * K, kTileColumns, b);
      multiply_columns<K>(a, rows, b, C + m * N + n, N);
    }
  }
}
