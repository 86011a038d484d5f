#include <algorithm>
#include <vector>

#include "ops/gemm.h"
#include "ops/runtime.h"
#include "tensor/vector_clones.h"

namespace fib::ops {
namespace {

// A block of B of kDepth x kWidth elements stays in the second-level cache while rows of A pass by, kRows at
// a time.
constexpr std::int64_t kDepth = 256;
constexpr std::int64_t kWidth = 512;
constexpr std::int64_t kRows = 4;

// Copies `rows` x `columns` elements from (row, column) on into `packed`, row after row, `width` elements
// apart.
template <typename Real>
void pack(const Matrix<const Real>& matrix, std::int64_t row, std::int64_t rows, std::int64_t column,
          std::int64_t columns, std::int64_t width, Real* packed) {
  if (matrix.transposed) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const Real* from = matrix.data + (column + j) * matrix.leading + row;
      for (std::int64_t i = 0; i < rows; ++i) packed[i * width + j] = from[i];
    }
    return;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(matrix.data + (row + i) * matrix.leading + column, columns, packed + i * width);
  }
}

// c[r][j] += sum over p of a[r][p] * b[p][j], for four rows.
template <typename Real>
[[gnu::always_inline]] inline void four_rows(const Real* a, const Real* b, Real* c, std::int64_t leading,
                                             std::int64_t depth, std::int64_t columns) {
  Real* __restrict c0 = c;
  Real* __restrict c1 = c + leading;
  Real* __restrict c2 = c + 2 * leading;
  Real* __restrict c3 = c + 3 * leading;
  for (std::int64_t p = 0; p < depth; ++p) {
    const Real* __restrict row = b + p * kWidth;
    const Real a0 = a[p];
    const Real a1 = a[kDepth + p];
    const Real a2 = a[2 * kDepth + p];
    const Real a3 = a[3 * kDepth + p];
    for (std::int64_t j = 0; j < columns; ++j) {
      const Real value = row[j];
      c0[j] += a0 * value;
      c1[j] += a1 * value;
      c2[j] += a2 * value;
      c3[j] += a3 * value;
    }
  }
}

FIB_VECTOR_CLONES
void four_rows_float(const float* a, const float* b, float* c, std::int64_t leading, std::int64_t depth,
                     std::int64_t columns) {
  four_rows(a, b, c, leading, depth, columns);
}

FIB_VECTOR_CLONES
void four_rows_double(const double* a, const double* b, double* c, std::int64_t leading, std::int64_t depth,
                      std::int64_t columns) {
  four_rows(a, b, c, leading, depth, columns);
}

void kernel(const float* a, const float* b, float* c, std::int64_t leading, std::int64_t depth,
            std::int64_t columns) {
  four_rows_float(a, b, c, leading, depth, columns);
}

void kernel(const double* a, const double* b, double* c, std::int64_t leading, std::int64_t depth,
            std::int64_t columns) {
  four_rows_double(a, b, c, leading, depth, columns);
}

// Rows [begin, end) of C. Rows are summed in a small copy of C, so that a rest of fewer than four needs no
// code.
template <typename Real>
void multiply_rows(std::int64_t begin, std::int64_t end, std::int64_t n, std::int64_t k,
                   const Matrix<const Real>& a, const Matrix<const Real>& b, const Matrix<Real>& c) {
  std::vector<Real> packed(static_cast<std::size_t>(kDepth * kWidth));
  std::vector<Real> a_rows(static_cast<std::size_t>(kRows * kDepth));
  std::vector<Real> sums(static_cast<std::size_t>(kRows * kWidth));
  for (std::int64_t column = 0; column < n; column += kWidth) {
    const std::int64_t columns = std::min(kWidth, n - column);
    for (std::int64_t depth = 0; depth < k; depth += kDepth) {
      const std::int64_t depths = std::min(kDepth, k - depth);
      pack(b, depth, depths, column, columns, kWidth, packed.data());
      for (std::int64_t row = begin; row < end; row += kRows) {
        const std::int64_t rows = std::min(kRows, end - row);
        std::fill(a_rows.begin(), a_rows.end(), Real{0});
        pack(a, row, rows, depth, depths, kDepth, a_rows.data());
        std::fill(sums.begin(), sums.end(), Real{0});
        kernel(a_rows.data(), packed.data(), sums.data(), kWidth, depths, columns);
        for (std::int64_t i = 0; i < rows; ++i) {
          Real* target = c.data + (row + i) * c.leading + column;
          const Real* sum = sums.data() + i * kWidth;
          for (std::int64_t j = 0; j < columns; ++j) target[j] = depth == 0 ? sum[j] : target[j] + sum[j];
        }
      }
    }
  }
}

class PortableGemm final : public Gemm {
 public:
  explicit PortableGemm(int threads) : threads_(threads) {}

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                Matrix<float> c) const override {
    run(m, n, k, a, b, c);
  }

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const double> a,
                Matrix<const double> b, Matrix<double> c) const override {
    run(m, n, k, a, b, c);
  }

  [[nodiscard]] std::string description() const override { return "portable matmul"; }

 private:
  template <typename Real>
  void run(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const Real> a, Matrix<const Real> b,
           Matrix<Real> c) const {
    parallel_for(threads_, m, n * k, kRows,
                 [&](std::int64_t begin, std::int64_t end) { multiply_rows(begin, end, n, k, a, b, c); });
  }

  int threads_;
};

}  // namespace

std::unique_ptr<Gemm> make_portable_gemm(int threads) { return std::make_unique<PortableGemm>(threads); }

}  // namespace fib::ops
