// C = A B^T in float16: one dot product in float32 for each element of C, along rows of A and B.

#include <cstdint>

#include "float16.h"

extern "C" void run(const std::uint16_t* A, const std::uint16_t* B, std::uint16_t* C, std::int64_t M) {
  constexpr std::int64_t N = 128;
  constexpr std::int64_t K = 2048;
  float a[K];
  for (std::int64_t m = 0; m < M; ++m) {
    for (std::int64_t k = 0; k < K; ++k) {
      a[k] = float16_to_float(A[m * K + k]);
    }
    for (std::int64_t n = 0; n < N; ++n) {
      float sum = 0.0f;
      for (std::int64_t k = 0; k < K; ++k) {
        sum += a[k] * float16_to_float(B[n * K + k]);
      }
      C[m * N + n] = float_to_float16(sum);
    }
  }
}
