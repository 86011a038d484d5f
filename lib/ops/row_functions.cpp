#include <algorithm>
#include <cmath>

#include "ops/accumulators.h"
#include "ops/elementwise.h"
#include "ops/gpu/operations.h"
#include "ops/reduce.h"
#include "ops/rows.h"
#include "util/error.h"

// Softmax, running sums and sorting: one row in, one row out.
namespace fib::ops {
namespace {

// `tensor` with `dim` moved to the end, contiguous.
Tensor to_rows(const Runtime& runtime, const Tensor& tensor, std::int64_t dim) {
  if (is_float8(tensor.dtype))
    throw Error("this operation is not defined for {}", tensor::name_of(tensor.dtype));
  const int last = std::max(tensor.rank() - 1, 0);
  return contiguous(runtime, move_dim(tensor, wrap_dim(dim, tensor.rank()), last));
}

// The way back.
Tensor from_rows(const Runtime& runtime, const Tensor& rows, std::int64_t dim) {
  const int last = std::max(rows.rank() - 1, 0);
  return contiguous(runtime, move_dim(rows, last, wrap_dim(dim, rows.rank())));
}

std::int64_t row_length(const Tensor& rows) { return rows.rank() == 0 ? 1 : rows.shape.back(); }

template <typename Real>
Real largest(const Real* values, std::int64_t length) {
  Real best = values[0];
  for (std::int64_t i = 1; i < length; ++i)
    best = values[i] > best || values[i] != values[i] ? values[i] : best;
  return best;
}

template <typename Real>
void softmax_row(const Real* values, Real* results, std::int64_t length) {
  const Real shift = largest(values, length);
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    results[i] = static_cast<Real>(std::exp(values[i] - shift));
    sum += static_cast<double>(results[i]);
  }
  const auto divisor = static_cast<Real>(sum);
  for (std::int64_t i = 0; i < length; ++i) results[i] /= divisor;
}

template <typename Real>
void log_softmax_row(const Real* values, Real* results, std::int64_t length) {
  const Real shift = largest(values, length);
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) sum += static_cast<double>(std::exp(values[i] - shift));
  const auto log_sum = static_cast<Real>(std::log(sum));
  for (std::int64_t i = 0; i < length; ++i) results[i] = values[i] - shift - log_sum;
}

// Whether a comes before b: NaN counts as the largest, as in torch.
template <typename Real>
bool comes_first(Real a, Real b, Order order) {
  if (order == Order::kDescending) return a > b || (a != a && b == b);
  return a < b || (a == a && b != b);
}

// A value with its place.
template <typename Real>
using Ranked = std::pair<Real, std::int64_t>;

template <typename Real>
struct ComesFirst {
  Order order;
  bool operator()(const Ranked<Real>& a, const Ranked<Real>& b) const {
    return comes_first(a.first, b.first, order);
  }
};

template <typename Real>
void rank(const Real* values, std::int64_t length, std::vector<Ranked<Real>>& ranked) {
  ranked.resize(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < length; ++i) ranked[static_cast<std::size_t>(i)] = {values[i], i};
}

// Which of equals comes first is up to the algorithm, so these are torch's (aten/src/ATen/native/cpu/
// SortingKernel.cpp, TopKImpl.h): with the same standard library the choice is the same, and a reference that
// routes tokens by ranks sends them the same way.
template <typename Real>
void sort_all(std::vector<Ranked<Real>>& ranked, Order order, Stability stability) {
  const ComesFirst<Real> before{order};
  if (stability == Stability::kStable)
    std::stable_sort(ranked.begin(), ranked.end(), before);
  else
    std::sort(ranked.begin(), ranked.end(), before);
}

template <typename Real>
void sort_first(std::vector<Ranked<Real>>& ranked, std::int64_t count, Order order, bool sorted) {
  const ComesFirst<Real> before{order};
  if (count == 0) return;
  if (count * 64 <= static_cast<std::int64_t>(ranked.size())) {
    std::partial_sort(ranked.begin(), ranked.begin() + count, ranked.end(), before);
    return;
  }
  std::nth_element(ranked.begin(), ranked.begin() + count - 1, ranked.end(), before);
  if (sorted) std::sort(ranked.begin(), ranked.begin() + count - 1, before);
}

// Whether sort_first() left out an equal of what it took, the last of which stands at count - 1.
template <typename Real>
bool leaves_equals(const std::vector<Ranked<Real>>& ranked, std::int64_t count, Order order) {
  if (count == 0) return false;
  const auto end = ranked.begin() + count;
  return !std::all_of(end, ranked.end(),
                      [&](const auto& left) { return ComesFirst<Real>{order}(*(end - 1), left); });
}

// The first `count` values and places of each row, which `arrange` brings into order.
template <typename Arrange>
std::pair<Tensor, Tensor> arranged(const Runtime& runtime, const Tensor& tensor, std::int64_t count,
                                   std::int64_t dim, const Arrange& arrange) {
  const Tensor rows = to_rows(runtime, tensor, dim);
  const std::int64_t length = row_length(rows);
  if (count < 0 || count > length) throw Error("{} of {} elements cannot be selected", count, length);
  Shape shape = rows.shape;
  if (!shape.empty()) shape.back() = count;
  const Tensor values = make_empty(runtime, tensor.dtype, shape);
  const Tensor indices = make_empty(runtime, DType::kInt64, shape);
  auto* index = reinterpret_cast<std::int64_t*>(indices.data());
  with_compute_type(tensor.dtype, [&](auto real) {
    using Real = decltype(real);
    const BlockWriter<Real> writer(values);
    for_rows<Real>(runtime, rows, 32, [&](std::int64_t row, const Real* x) {
      std::vector<Ranked<Real>> ranked;
      rank(x, length, ranked);
      arrange(ranked);
      std::vector<Real> picked(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < picked.size(); ++i) {
        picked[i] = ranked[i].first;
        index[row * count + static_cast<std::int64_t>(i)] = ranked[i].second;
      }
      if (count > 0) writer.write(row * count, count, picked.data());
    });
  });
  return {from_rows(runtime, values, dim), from_rows(runtime, indices, dim)};
}

}  // namespace

Tensor softmax(const Runtime& runtime, SoftmaxKind kind, const Tensor& tensor, std::int64_t dim) {
  if (!tensor::is_floating(tensor.dtype))
    throw Error("softmax is not defined for {}", tensor::name_of(tensor.dtype));
  const Tensor rows = to_rows(runtime, tensor, dim);
  const Tensor output = make_empty(runtime, tensor.dtype, rows.shape);
  const std::int64_t length = row_length(rows);
  if (gpu::softmax(runtime, kind, rows, output)) return from_rows(runtime, output, dim);
  with_compute_type(tensor.dtype, [&](auto real) {
    using Real = decltype(real);
    map_rows<Real>(runtime, rows, output, 8, [&](const Real* values, Real* results) {
      if (kind == SoftmaxKind::kSoftmax)
        softmax_row(values, results, length);
      else
        log_softmax_row(values, results, length);
    });
  });
  return from_rows(runtime, output, dim);
}

Tensor scan(const Runtime& runtime, Scan kind, const Tensor& tensor, std::int64_t dim) {
  const DType dtype = tensor::is_floating(tensor.dtype) ? tensor.dtype : DType::kInt64;
  const Tensor rows = to_rows(runtime, tensor, dim);
  const Tensor output = make_empty(runtime, dtype, rows.shape);
  const std::int64_t length = row_length(rows);
  if (gpu::scan(runtime, kind, rows, output)) return from_rows(runtime, output, dim);
  with_compute_type(tensor.dtype, [&](auto real) {
    using Real = decltype(real);
    using Sum = Running<Real>;
    map_rows<Real>(runtime, rows, output, 2, [&](const Real* values, Real* results) {
      Sum running = kind == Scan::kSum ? 0 : 1;
      for (std::int64_t i = 0; i < length; ++i) {
        const auto value = static_cast<Sum>(values[i]);
        running = kind == Scan::kSum ? running + value : running * value;
        results[i] = static_cast<Real>(running);
      }
    });
  });
  return from_rows(runtime, output, dim);
}

std::pair<Tensor, Tensor> first_sorted(const Runtime& runtime, const Tensor& tensor, std::int64_t count,
                                       std::int64_t dim, Order order, bool sorted) {
  return arranged(runtime, tensor, count, dim, [&](auto& ranked) {
    sort_first(ranked, count, order, sorted);
    if (runtime.tied_rows && leaves_equals(ranked, count, order)) ++*runtime.tied_rows;
  });
}

std::pair<Tensor, Tensor> sort_along(const Runtime& runtime, const Tensor& tensor, std::int64_t dim,
                                     Order order, Stability stability) {
  const std::int64_t length = tensor.rank() == 0 ? 1 : tensor.size(wrap_dim(dim, tensor.rank()));
  // Torch sorts many integers by their digits, which is stable.
  const bool by_digits = tensor.rank() == 1 && length >= 32768 && order == Order::kAscending &&
                         tensor::is_integral(tensor.dtype) && tensor.dtype != DType::kBool;
  const Stability wanted = by_digits ? Stability::kStable : stability;
  return arranged(runtime, tensor, length, dim, [&](auto& ranked) { sort_all(ranked, order, wanted); });
}

}  // namespace fib::ops
