#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace fib::ops {

// A matrix in memory: element (i, j) is data[i * leading + j], or data[j * leading + i] when transposed.
template <typename Real>
struct Matrix {
  Real* data = nullptr;
  std::int64_t leading = 0;
  bool transposed = false;
};

// C = A B for matrices of m x k, k x n and m x n elements. C is never transposed. Products are summed at
// least in Real. m, n and k are at least 1. Calls come from one thread at a time.
class Gemm {
 public:
  virtual ~Gemm() = default;
  virtual void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a,
                        Matrix<const float> b, Matrix<float> c) const = 0;
  virtual void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const double> a,
                        Matrix<const double> b, Matrix<double> c) const = 0;
  // "OpenBLAS 0.3.21" or "portable matmul".
  [[nodiscard]] virtual std::string description() const = 0;
};

// OpenBLAS, opened at run time: the names in FIB_OPENBLAS (separated by ':') if set, else libopenblas.so.0
// and libopenblas.so. Null when none can be opened; `reason` then says why. `threads` is given to the
// library.
[[nodiscard]] std::unique_ptr<Gemm> open_openblas(int threads, std::string& reason);

// The project's own blocked multiplication; always there, several times slower.
[[nodiscard]] std::unique_ptr<Gemm> make_portable_gemm(int threads);

}  // namespace fib::ops
