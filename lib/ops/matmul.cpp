#include "ops/matmul.h"

#include <algorithm>

#include "ops/convert_elements.h"
#include "ops/elementwise.h"
#include "ops/gpu/operations.h"
#include "util/error.h"

namespace fib::ops {
namespace {

// Operands of fewer than 32 bits are multiplied in panels, whose float32 copies stay small beside the
// matrices. A panel of the second operand should stay in the second-level cache until it is multiplied, but
// have enough columns that reading the first operand again for each panel costs little.
constexpr std::int64_t kPanel = 2048;
constexpr std::int64_t kPanelElements = std::int64_t{1} << 18U;
constexpr std::int64_t kLeastColumns = 64;

std::int64_t panel_columns(const Runtime& runtime, std::int64_t rows, std::int64_t depth) {
  const std::int64_t cached = kPanelElements * runtime.threads / std::max<std::int64_t>(depth, 1);
  const std::int64_t least = std::max(kLeastColumns * runtime.threads, 2 * rows);
  return std::clamp(cached, std::min(least, kPanel), kPanel);
}

// A 2-D view as Gemm wants it, if its strides allow.
template <typename Real>
std::optional<Matrix<const Real>> as_matrix(const Tensor& t) {
  const auto* data = reinterpret_cast<const Real*>(t.read());
  const bool unit_rows = t.stride(1) == 1 || t.size(1) == 1;
  const bool unit_columns = t.stride(0) == 1 || t.size(0) == 1;
  const auto leading = [](std::int64_t stride, std::int64_t lines, std::int64_t length) {
    return lines == 1 ? std::max<std::int64_t>(length, 1) : stride;
  };
  const std::int64_t by_rows = leading(t.stride(0), t.size(0), t.size(1));
  if (unit_rows && by_rows >= std::max<std::int64_t>(t.size(1), 1))
    return Matrix<const Real>{data, by_rows, false};
  const std::int64_t by_columns = leading(t.stride(1), t.size(1), t.size(0));
  if (unit_columns && by_columns >= std::max<std::int64_t>(t.size(0), 1)) {
    return Matrix<const Real>{data, by_columns, true};
  }
  return std::nullopt;
}

template <typename Real>
constexpr DType kDTypeOf = std::is_same_v<Real, double> ? DType::kFloat64 : DType::kFloat32;

// c = a b for 2-D views of Real.
template <typename Real>
void multiply_native(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor a_copy = as_matrix<Real>(a) ? a : cloned(runtime, a);
  const Tensor b_copy = as_matrix<Real>(b) ? b : cloned(runtime, b);
  const Matrix<Real> result{reinterpret_cast<Real*>(c.data()), std::max(c.stride(0), c.size(1)), false};
  runtime.gemm->multiply(c.size(0), c.size(1), a.size(1), *as_matrix<Real>(a_copy), *as_matrix<Real>(b_copy),
                         result);
}

// `t` as float32, keeping its order in memory: a transposed view is converted as it lies.
Tensor widened(const Runtime& runtime, const Tensor& t) {
  if (t.stride(0) == 1 && t.stride(1) != 1)
    return transpose(converted(runtime, transpose(t, 0, 1), DType::kFloat32), 0, 1);
  return converted(runtime, t, DType::kFloat32);
}

void multiply_panels(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c) {
  for (std::int64_t row = 0; row < c.size(0); row += kPanel) {
    const std::int64_t rows = std::min(kPanel, c.size(0) - row);
    const Tensor a_panel = widened(runtime, narrow(a, 0, row, rows));
    const std::int64_t width = panel_columns(runtime, rows, a.size(1));
    for (std::int64_t column = 0; column < c.size(1); column += width) {
      const std::int64_t columns = std::min(width, c.size(1) - column);
      const Tensor b_panel = widened(runtime, narrow(b, 1, column, columns));
      const Tensor product = make_empty(runtime, DType::kFloat32, {rows, columns});
      multiply_native<float>(runtime, a_panel, b_panel, product);
      copy_into(runtime, product, narrow(narrow(c, 0, row, rows), 1, column, columns));
    }
  }
}

// Integers are rare and small: plain loops in int64.
void multiply_integers(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor left = contiguous(runtime, to_dtype(runtime, a, DType::kInt64));
  const Tensor right = contiguous(runtime, to_dtype(runtime, transpose(b, 0, 1), DType::kInt64));
  const Tensor sums = make_empty(runtime, DType::kInt64, c.shape);
  const auto values = [](const Tensor& t) { return reinterpret_cast<std::uint64_t*>(t.data()); };
  const std::int64_t depth = a.size(1);
  for (std::int64_t i = 0; i < c.size(0); ++i) {
    for (std::int64_t j = 0; j < c.size(1); ++j) {
      std::uint64_t sum = 0;
      for (std::int64_t p = 0; p < depth; ++p)
        sum += values(left)[i * depth + p] * values(right)[j * depth + p];
      values(sums)[i * c.size(1) + j] = sum;
    }
  }
  copy_into(runtime, sums, c);
}

void multiply_2d(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c) {
  switch (c.dtype) {
    case DType::kFloat64:
      return multiply_native<double>(runtime, a, b, c);
    case DType::kFloat32:
      return multiply_native<float>(runtime, a, b, c);
    case DType::kFloat16:
    case DType::kBFloat16:
      return multiply_panels(runtime, a, b, c);
    default:
      return multiply_integers(runtime, a, b, c);
  }
}

// Batches of c = a b for views of three dimensions of one batch size.
void multiply_batches(const Runtime& runtime, const Tensor& a, const Tensor& b, const Tensor& c) {
  if (c.numel() == 0 || gpu::multiply(runtime, a, b, c)) return;
  // Small floats are converted at once where they are few, rather than batch by batch.
  const bool small =
      tensor::is_floating(c.dtype) && c.element_size() < 4 && a.numel() + b.numel() < kPanel * kPanel;
  if (small && c.size(0) > 1) {
    const Tensor product = make_empty(runtime, DType::kFloat32, c.shape);
    multiply_batches(runtime, converted(runtime, a, DType::kFloat32), converted(runtime, b, DType::kFloat32),
                     product);
    return copy_into(runtime, product, c);
  }
  for (std::int64_t i = 0; i < c.size(0); ++i)
    multiply_2d(runtime, select(a, 0, i), select(b, 0, i), select(c, 0, i));
}

void check_operands(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype) {
    throw Error("matrices of {} and {} cannot be multiplied; convert one of them", tensor::name_of(a.dtype),
                tensor::name_of(b.dtype));
  }
  if (is_float8(a.dtype) || a.dtype == DType::kBool)
    throw Error("matmul is not defined for {}", tensor::name_of(a.dtype));
  if (a.rank() == 0 || b.rank() == 0) throw Error("matmul needs tensors of at least one dimension");
}

}  // namespace

Tensor matmul(const Runtime& runtime, const Tensor& a, const Tensor& b) {
  check_operands(a, b);
  const Tensor left = a.rank() == 1 ? unsqueeze(a, 0) : a;
  const Tensor right = b.rank() == 1 ? unsqueeze(b, 1) : b;
  const std::int64_t m = left.size(left.rank() - 2);
  const std::int64_t k = left.shape.back();
  const std::int64_t n = right.shape.back();
  if (right.size(right.rank() - 2) != k) {
    throw Error("shapes {} and {} cannot be multiplied", tensor::to_string(a.shape),
                tensor::to_string(b.shape));
  }
  const Shape left_batch(left.shape.begin(), left.shape.end() - 2);
  const Shape right_batch(right.shape.begin(), right.shape.end() - 2);
  const Shape batch = broadcast_shapes(left_batch, right_batch);
  const std::int64_t batches = count_of(batch);

  const Tensor c =
      k == 0 ? make_zeros(runtime, a.dtype, {batches, m, n}) : make_empty(runtime, a.dtype, {batches, m, n});
  if (k > 0 && right_batch.empty() && left.is_contiguous()) {
    // One matrix for all batches: one product of all rows.
    multiply_batches(runtime, *try_view(left, {1, batches * m, k}), unsqueeze(right, 0),
                     *try_view(c, {1, batches * m, n}));
  } else if (k > 0) {
    const auto batched = [&](const Tensor& t) {
      Shape full = batch;
      full.insert(full.end(), t.shape.end() - 2, t.shape.end());
      return reshape(runtime, expand(t, full), {batches, t.size(t.rank() - 2), t.shape.back()});
    };
    multiply_batches(runtime, batched(left), batched(right), c);
  }
  Shape shape = batch;
  if (a.rank() > 1) shape.push_back(m);
  if (b.rank() > 1) shape.push_back(n);
  return *try_view(c, shape);
}

}  // namespace fib::ops
