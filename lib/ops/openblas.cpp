#include <cstdlib>
#include <limits>
#include <sstream>
#include <vector>

#include "ops/gemm.h"
#include "util/error.h"
#include "util/shared_library.h"

namespace fib::ops {
namespace {

// From cblas.h.
constexpr int kRowMajor = 101;
constexpr int kNoTrans = 111;
constexpr int kTrans = 112;

template <typename Real>
using CblasGemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, Real alpha,
                           const Real* a, int lda, const Real* b, int ldb, Real beta, Real* c, int ldc);

// y = alpha A x + beta y.
template <typename Real>
using CblasGemv = void (*)(int order, int trans, int m, int n, Real alpha, const Real* a, int lda,
                           const Real* x, int incx, Real beta, Real* y, int incy);

struct Library {
  CblasGemm<float> sgemm = nullptr;
  CblasGemm<double> dgemm = nullptr;
  CblasGemv<float> sgemv = nullptr;
  CblasGemv<double> dgemv = nullptr;
  void (*set_num_threads)(int) = nullptr;
  char* (*get_config)() = nullptr;
};

bool open_library(const std::string& name, Library& library, std::string& reason) {
  const util::SharedLibrary file(name);
  reason = file.problem();
  if (!file.is_open()) return false;
  const bool complete = file.find("cblas_sgemm", library.sgemm) && file.find("cblas_dgemm", library.dgemm) &&
                        file.find("cblas_sgemv", library.sgemv) && file.find("cblas_dgemv", library.dgemv) &&
                        file.find("openblas_set_num_threads", library.set_num_threads) &&
                        file.find("openblas_get_config", library.get_config);
  if (!complete) reason = name + " does not have OpenBLAS's functions";
  return complete;
}

std::vector<std::string> library_names() {
  const char* names = std::getenv("FIB_OPENBLAS");
  if (names == nullptr) return {"libopenblas.so.0", "libopenblas.so"};
  std::vector<std::string> result;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ':');) {
    if (!name.empty()) result.push_back(name);
  }
  return result;
}

class OpenBlas final : public Gemm {
 public:
  explicit OpenBlas(const Library& library) : library_(library) {}

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const float> a, Matrix<const float> b,
                Matrix<float> c) const override {
    call(library_.sgemm, library_.sgemv, m, n, k, a, b, c);
  }

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const double> a,
                Matrix<const double> b, Matrix<double> c) const override {
    call(library_.dgemm, library_.dgemv, m, n, k, a, b, c);
  }

  [[nodiscard]] std::string description() const override {
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    std::istringstream config(library_.get_config());
    std::string name;
    std::string version;
    config >> name >> version;
    return name + " " + version;
  }

 private:
  static int narrow(std::int64_t value) {
    if (value > std::numeric_limits<int>::max())
      throw Error("a matrix dimension of {} is too large for OpenBLAS", value);
    return static_cast<int>(value);
  }

  // c = matrix * vector, for a matrix of rows x columns.
  template <typename Real>
  static void times_vector(CblasGemv<Real> gemv, std::int64_t rows, std::int64_t columns,
                           Matrix<const Real> matrix, const Real* vector, std::int64_t step, Real* c,
                           std::int64_t c_step) {
    const bool turned = matrix.transposed;
    gemv(kRowMajor, turned ? kTrans : kNoTrans, narrow(turned ? columns : rows),
         narrow(turned ? rows : columns), Real{1}, matrix.data, narrow(matrix.leading), vector, narrow(step),
         Real{0}, c, narrow(c_step));
  }

  template <typename Real>
  static void call(CblasGemm<Real> gemm, CblasGemv<Real> gemv, std::int64_t m, std::int64_t n, std::int64_t k,
                   Matrix<const Real> a, Matrix<const Real> b, Matrix<Real> c) {
    // A product with one row or column reads the other matrix once; gemm would rearrange it first.
    if (m == 1) {
      const Matrix<const Real> turned{b.data, b.leading, !b.transposed};
      return times_vector(gemv, n, k, turned, a.data, a.transposed ? a.leading : 1, c.data, 1);
    }
    if (n == 1) return times_vector(gemv, m, k, a, b.data, b.transposed ? 1 : b.leading, c.data, c.leading);
    gemm(kRowMajor, a.transposed ? kTrans : kNoTrans, b.transposed ? kTrans : kNoTrans, narrow(m), narrow(n),
         narrow(k), Real{1}, a.data, narrow(a.leading), b.data, narrow(b.leading), Real{0}, c.data,
         narrow(c.leading));
  }

  Library library_;
};

}  // namespace

std::unique_ptr<Gemm> open_openblas(int threads, std::string& reason) {
  reason = "FIB_OPENBLAS names no library";
  for (const std::string& name : library_names()) {
    Library library;
    if (!open_library(name, library, reason)) continue;
    library.set_num_threads(threads);
    return std::make_unique<OpenBlas>(library);
  }
  return nullptr;
}

}  // namespace fib::ops
