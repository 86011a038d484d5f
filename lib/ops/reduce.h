#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ops/promote.h"

namespace fib::ops {

enum class Reduction { kSum, kMean, kProd, kMax, kMin, kAny, kAll, kNorm, kLogSumExp };
enum class KeepDim { kNo, kYes };

// Dimensions to reduce over; none given means all of them.
using Dims = std::vector<std::int64_t>;

// Reduces in double (or int64), rounded once at the end. Results keep the dtype, but sums and products of
// integers and bools are int64, and kAny and kAll give bool. `dtype` converts the input first. Throws Error
// for kMax and kMin of nothing, and for the mean of integers.
[[nodiscard]] Tensor reduce(const Runtime& runtime, Reduction reduction, const Tensor& tensor,
                            const Dims& dims, KeepDim keep, std::optional<DType> dtype = std::nullopt);

// The variance: squared distances from the mean, divided by count - correction.
[[nodiscard]] Tensor variance(const Runtime& runtime, const Tensor& tensor, const Dims& dims, KeepDim keep,
                              double correction);

enum class Extreme { kMax, kMin };

// The largest (smallest) element along `dim` and its index as int64, the first of equals; NaN wins.
[[nodiscard]] std::pair<Tensor, Tensor> extreme_along(const Runtime& runtime, Extreme extreme,
                                                      const Tensor& tensor, std::int64_t dim, KeepDim keep);

enum class SoftmaxKind { kSoftmax, kLogSoftmax };
[[nodiscard]] Tensor softmax(const Runtime& runtime, SoftmaxKind kind, const Tensor& tensor,
                             std::int64_t dim);

enum class Scan { kSum, kProduct };
// Running sums (products) along `dim`; integers give int64.
[[nodiscard]] Tensor scan(const Runtime& runtime, Scan kind, const Tensor& tensor, std::int64_t dim);

enum class Order { kAscending, kDescending };
enum class Stability { kAny, kStable };
// Values and int64 indices along `dim`, sorted; NaN counts as the largest. Equals come in the order that
// torch's CPU gives them, unless kStable keeps theirs.
[[nodiscard]] std::pair<Tensor, Tensor> sort_along(const Runtime& runtime, const Tensor& tensor,
                                                   std::int64_t dim, Order order, Stability stability);
// The first `count` by that order, the same of equals as torch's CPU picks; in no particular order unless
// `sorted`.
[[nodiscard]] std::pair<Tensor, Tensor> first_sorted(const Runtime& runtime, const Tensor& tensor,
                                                     std::int64_t count, std::int64_t dim, Order order,
                                                     bool sorted);

}  // namespace fib::ops
