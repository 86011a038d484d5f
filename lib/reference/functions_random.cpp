#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "ops/blocks.h"
#include "ops/elementwise.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

// Running sums of one row of weights. Throws Error for weights that are no distribution.
std::vector<double> cumulative(const double* weights, std::int64_t length) {
  std::vector<double> sums(static_cast<std::size_t>(length));
  double sum = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i]))
      throw Error("multinomial needs probabilities that are finite and not negative");
    sums[i] = sum += weights[i];
  }
  if (sum <= 0) throw Error("multinomial needs a probability above 0 in every row");
  return sums;
}

// The first element whose running sum is above a random part of the whole: one of probability 0 is never
// drawn.
std::int64_t draw(ops::RandomSource& random, const std::vector<double>& sums) {
  const double at = random.uniform() * sums.back();
  return std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
}

// Draws without replacement: the smallest of exponential variates whose rates are the weights (Efraimidis and
// Spirakis, "Weighted random sampling with a reservoir", 2006).
void draw_different(ops::RandomSource& random, const double* weights, std::int64_t length, std::int64_t count,
                    std::int64_t* results) {
  std::vector<std::pair<double, std::int64_t>> keys;
  for (std::int64_t i = 0; i < length; ++i) {
    if (weights[i] > 0) keys.emplace_back(-std::log(1 - random.uniform()) / weights[i], i);
  }
  if (static_cast<std::int64_t>(keys.size()) < count)
    throw Error("multinomial cannot draw {} different elements of {}", count, keys.size());
  std::partial_sort(keys.begin(), keys.begin() + count, keys.end());
  for (std::int64_t i = 0; i < count; ++i) results[i] = keys[static_cast<std::size_t>(i)].second;
}

Value multinomial(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const std::int64_t count = a.integer("num_samples");
  if (!tensor::is_floating(input.dtype) || input.rank() < 1 || input.rank() > 2 || count < 1)
    throw Error("multinomial needs probabilities in one or two dimensions and at least one sample");
  const bool replacement = a.flag_or("replacement", false);
  const Tensor weights = contiguous(runtime, to_dtype(runtime, input, DType::kFloat64));
  Shape shape = input.shape;
  const std::int64_t length = shape.back();
  shape.back() = count;
  Tensor result = make_empty(runtime, DType::kInt64, shape);
  const auto* row = reinterpret_cast<const double*>(weights.data());
  auto* to = reinterpret_cast<std::int64_t*>(result.data());
  for (std::int64_t done = 0; done < result.numel(); done += count, row += length) {
    const std::vector<double> sums = cumulative(row, length);
    if (!replacement && count > 1) {
      draw_different(*runtime.random, row, length, count, to + done);
      continue;
    }
    for (std::int64_t i = 0; i < count; ++i) to[done + i] = draw(*runtime.random, sums);
  }
  return result;
}

// A tensor whose elements come from `next`.
template <typename Real, typename Next>
Tensor drawn(const Runtime& runtime, DType dtype, const Shape& shape, const Next& next) {
  constexpr bool kIntegers = std::is_same_v<Real, std::int64_t>;
  const Tensor values = make_empty(runtime, kIntegers ? DType::kInt64 : DType::kFloat64, shape);
  auto* data = reinterpret_cast<Real*>(values.data());
  std::generate_n(data, values.numel(), next);
  return to_dtype(runtime, values, dtype);
}

// In [0, 1): a number of as many bits as the dtype's fraction has, so that none rounds up to 1.
Tensor uniform_tensor(const Runtime& runtime, DType dtype, const Shape& shape) {
  if (!tensor::is_floating(dtype)) throw Error("rand needs a floating dtype, not {}", tensor::name_of(dtype));
  const int bits = dtype == DType::kFloat64    ? 53
                   : dtype == DType::kFloat32  ? 24
                   : dtype == DType::kFloat16  ? 11
                   : dtype == DType::kBFloat16 ? 8
                                               : 3;
  return drawn<double>(runtime, dtype, shape, [&] {
    return std::ldexp(std::floor(std::ldexp(runtime.random->uniform(), bits)), -bits);
  });
}

Tensor normal_tensor(const Runtime& runtime, DType dtype, const Shape& shape) {
  if (!tensor::is_floating(dtype))
    throw Error("randn needs a floating dtype, not {}", tensor::name_of(dtype));
  return drawn<double>(runtime, dtype, shape, [&] { return runtime.random->normal(); });
}

Value rand(const Runtime& runtime, const Arguments& a) {
  return uniform_tensor(runtime, a.dtype().value_or(DType::kFloat32), integers_of(a.rest()));
}

Value rand_like(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return uniform_tensor(runtime, a.dtype().value_or(input.dtype), input.shape);
}

Value randn(const Runtime& runtime, const Arguments& a) {
  return normal_tensor(runtime, a.dtype().value_or(DType::kFloat32), integers_of(a.rest()));
}

Value randn_like(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return normal_tensor(runtime, a.dtype().value_or(input.dtype), input.shape);
}

// randint(high, size) and randint(low, high, size).
Value randint(const Runtime& runtime, const Arguments& a) {
  std::vector<Value> given = a.rest();
  if (a.has("size")) given.push_back(a.value("size"));
  if (given.size() < 2 || given.size() > 3) throw Error("randint needs bounds and a size");
  const std::int64_t low = given.size() == 3 ? to_index(given[0]) : 0;
  const std::int64_t high = to_index(given[given.size() - 2]);
  std::int64_t count = 0;
  if (__builtin_sub_overflow(high, low, &count) || count <= 0)
    throw Error("randint cannot draw from {} up to {}", low, high);
  return drawn<std::int64_t>(runtime, a.dtype().value_or(DType::kInt64), integers_of({given.back()}),
                             [&] { return low + runtime.random->below(count); });
}

Value randperm(const Runtime& runtime, const Arguments& a) {
  Tensor result = make_empty(runtime, DType::kInt64, {a.integer("n")});
  auto* data = reinterpret_cast<std::int64_t*>(result.data());
  std::iota(data, data + result.numel(), std::int64_t{0});
  for (std::int64_t i = result.numel() - 1; i > 0; --i)
    std::swap(data[i], data[runtime.random->below(i + 1)]);
  return to_dtype(runtime, result, a.dtype().value_or(DType::kInt64));
}

Value bernoulli(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const Tensor chances = contiguous(runtime, to_dtype(runtime, input, DType::kFloat64));
  const auto* chance = reinterpret_cast<const double*>(chances.data());
  return drawn<double>(runtime, input.dtype, input.shape, [&] {
    if (!(*chance >= 0 && *chance <= 1)) throw Error("bernoulli needs probabilities between 0 and 1");
    return runtime.random->uniform() < *chance++ ? 1.0 : 0.0;
  });
}

Value manual_seed(const Runtime& runtime, const Arguments& a) {
  runtime.random->restart(static_cast<std::uint64_t>(a.integer("seed")));
  return None{};
}

constexpr std::array kRandomFunctions = {
    BuiltinRow{"multinomial", kTorch | kMethod, "input num_samples replacement?", multinomial},
    BuiltinRow{"rand", kTorch, "*size dtype?", rand},
    BuiltinRow{"rand_like", kTorch, "input dtype?", rand_like},
    BuiltinRow{"randn", kTorch, "*size dtype?", randn},
    BuiltinRow{"randn_like", kTorch, "input dtype?", randn_like},
    BuiltinRow{"randint", kTorch, "*bounds size? dtype?", randint},
    BuiltinRow{"randperm", kTorch, "n dtype?", randperm},
    BuiltinRow{"bernoulli", kTorch | kMethod, "input", bernoulli},
    BuiltinRow{"manual_seed", kTorch, "seed", manual_seed},
};

}  // namespace

std::span<const BuiltinRow> random_functions() { return kRandomFunctions; }

}  // namespace fib::reference
