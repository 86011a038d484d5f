#include <array>
#include <cmath>

#include "ops/tensor_math.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

Value with_names(std::pair<Tensor, Tensor> result) {
  return make_tuple({std::move(result.first), std::move(result.second)}, {"values", "indices"});
}

template <ops::Reduction reduction>
Value reduced(const Runtime& runtime, const Arguments& a) {
  return reduce(runtime, reduction, a.tensor("input"), a.integers("dim"), a.keepdim());
}

template <ops::Reduction reduction>
Value reduced_as(const Runtime& runtime, const Arguments& a) {
  return reduce(runtime, reduction, a.tensor("input"), a.integers("dim"), a.keepdim(), a.dtype());
}

// max(x), max(x, dim) and max(x, y) are three functions.
template <ops::Extreme extreme>
Value max_or_min(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const bool max = extreme == ops::Extreme::kMax;
  if (!a.has("dim"))
    return reduce(runtime, max ? ops::Reduction::kMax : ops::Reduction::kMin, input, {}, ops::KeepDim::kNo);
  if (const auto* other = a.value("dim").get<Tensor>(); other != nullptr) {
    return binary(runtime, ops::binary_op(max ? "maximum" : "minimum"), {input, false}, {*other, false});
  }
  return with_names(extreme_along(runtime, extreme, input, a.integer("dim"), a.keepdim()));
}

template <ops::Extreme extreme>
Value arg_extreme(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (a.has("dim")) return extreme_along(runtime, extreme, input, a.integer("dim"), a.keepdim()).second;
  return extreme_along(runtime, extreme, reshape(runtime, input, {-1}), 0, ops::KeepDim::kNo).second;
}

template <ops::SoftmaxKind kind>
Value softmax_function(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return softmax(runtime, kind, to_dtype(runtime, input, a.dtype().value_or(input.dtype)), a.integer("dim"));
}

template <ops::Scan kind>
Value scan_function(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return scan(runtime, kind, to_dtype(runtime, input, a.dtype().value_or(input.dtype)), a.integer("dim"));
}

// var(x, dim, unbiased, keepdim), or correction= in place of unbiased=; var(x, unbiased) too.
Tensor variance_of(const Runtime& runtime, const Arguments& a) {
  const bool flag_first = a.has("dim") && a.value("dim").is<bool>();
  const bool unbiased = flag_first ? is_true(a.value("dim")) : a.flag_or("unbiased", true);
  const ops::Dims dims = flag_first ? ops::Dims{} : a.integers("dim");
  return variance(runtime, a.tensor("input"), dims, a.keepdim(), a.real_or("correction", unbiased ? 1 : 0));
}

Value var(const Runtime& runtime, const Arguments& a) { return variance_of(runtime, a); }

Value std_function(const Runtime& runtime, const Arguments& a) {
  return unary(runtime, ops::unary_op("sqrt"), variance_of(runtime, a));
}

Value norm(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const bool text = a.has("p") && a.value("p").is<std::string>();
  const double p = text ? (a.text("p") == "fro" ? 2 : 0) : a.real_or("p", 2);
  if (p == 2) return reduce(runtime, ops::Reduction::kNorm, input, a.integers("dim"), a.keepdim());
  const Tensor sizes = unary(runtime, ops::unary_op("abs"), input);
  if (p == 1) return reduce(runtime, ops::Reduction::kSum, sizes, a.integers("dim"), a.keepdim());
  if (std::isinf(p))
    return reduce(runtime, p > 0 ? ops::Reduction::kMax : ops::Reduction::kMin, sizes, a.integers("dim"),
                  a.keepdim());
  throw Error("{} with p={} is not supported by the native reference engine", a.function_name(), p);
}

ops::Order order_of(bool descending) { return descending ? ops::Order::kDescending : ops::Order::kAscending; }

std::pair<Tensor, Tensor> sorted_with_indices(const Runtime& runtime, const Arguments& a) {
  return sort_along(runtime, a.tensor("input"), a.integer_or("dim", -1),
                    order_of(a.flag_or("descending", false)),
                    a.flag_or("stable", false) ? ops::Stability::kStable : ops::Stability::kAny);
}

Value sort(const Runtime& runtime, const Arguments& a) { return with_names(sorted_with_indices(runtime, a)); }
Value argsort(const Runtime& runtime, const Arguments& a) { return sorted_with_indices(runtime, a).second; }

Value topk(const Runtime& runtime, const Arguments& a) {
  return with_names(first_sorted(runtime, a.tensor("input"), a.integer("k"), a.integer_or("dim", -1),
                                 order_of(a.flag_or("largest", true)), a.flag_or("sorted", true)));
}

Value count_nonzero(const Runtime& runtime, const Arguments& a) {
  const Tensor truth = to_dtype(runtime, a.tensor("input"), DType::kBool);
  return reduce(runtime, ops::Reduction::kSum, truth, a.integers("dim"), ops::KeepDim::kNo);
}

bool same_within(const Runtime& runtime, const Arguments& a, double rtol, double atol) {
  const Tensor x = to_dtype(runtime, a.tensor("input"), DType::kFloat64);
  const Tensor y = to_dtype(runtime, a.tensor("other"), DType::kFloat64);
  const Tensor distance = unary(runtime, ops::unary_op("abs"), sub(runtime, x, y));
  const Tensor limit = add(runtime, mul(runtime, unary(runtime, ops::unary_op("abs"), y), rtol), atol);
  const Tensor close = binary(runtime, ops::binary_op("le"), {distance, false}, {limit, false});
  const Tensor equal = binary(runtime, ops::binary_op("eq"), {x, false}, {y, false});
  const Tensor either = binary(runtime, ops::binary_op("logical_or"), {close, false}, {equal, false});
  return is_true(reduce(runtime, ops::Reduction::kAll, either, {}, ops::KeepDim::kNo));
}

Value allclose(const Runtime& runtime, const Arguments& a) {
  return same_within(runtime, a, a.real_or("rtol", 1e-5), a.real_or("atol", 1e-8));
}

Value equal(const Runtime& runtime, const Arguments& a) {
  return a.tensor("input").shape == a.tensor("other").shape && same_within(runtime, a, 0, 0);
}

constexpr const char* kOverDims = "input dim? keepdim?";
constexpr const char* kOverDimsAs = "input dim? keepdim? dtype?";

constexpr std::array kReduceFunctions = {
    BuiltinRow{"sum", kTorch | kMethod, kOverDimsAs, reduced_as<ops::Reduction::kSum>},
    BuiltinRow{"mean", kTorch | kMethod, kOverDimsAs, reduced_as<ops::Reduction::kMean>},
    BuiltinRow{"prod", kTorch | kMethod, kOverDimsAs, reduced_as<ops::Reduction::kProd>},
    BuiltinRow{"any", kTorch | kMethod, kOverDims, reduced<ops::Reduction::kAny>},
    BuiltinRow{"all", kTorch | kMethod, kOverDims, reduced<ops::Reduction::kAll>},
    BuiltinRow{"amax", kTorch | kMethod, kOverDims, reduced<ops::Reduction::kMax>},
    BuiltinRow{"amin", kTorch | kMethod, kOverDims, reduced<ops::Reduction::kMin>},
    BuiltinRow{"max", kTorch | kMethod, kOverDims, max_or_min<ops::Extreme::kMax>},
    BuiltinRow{"min", kTorch | kMethod, kOverDims, max_or_min<ops::Extreme::kMin>},
    BuiltinRow{"argmax", kTorch | kMethod, kOverDims, arg_extreme<ops::Extreme::kMax>},
    BuiltinRow{"argmin", kTorch | kMethod, kOverDims, arg_extreme<ops::Extreme::kMin>},
    BuiltinRow{"logsumexp", kTorch | kMethod, "input dim keepdim?", reduced<ops::Reduction::kLogSumExp>},
    BuiltinRow{"softmax", kTorch | kMethod, "input dim dtype?", softmax_function<ops::SoftmaxKind::kSoftmax>},
    BuiltinRow{"softmax", kFunctional, "input dim _stacklevel? dtype?",
               softmax_function<ops::SoftmaxKind::kSoftmax>},
    BuiltinRow{"log_softmax", kTorch | kMethod, "input dim dtype?",
               softmax_function<ops::SoftmaxKind::kLogSoftmax>},
    BuiltinRow{"log_softmax", kFunctional, "input dim _stacklevel? dtype?",
               softmax_function<ops::SoftmaxKind::kLogSoftmax>},
    BuiltinRow{"cumsum", kTorch | kMethod, "input dim dtype?", scan_function<ops::Scan::kSum>},
    BuiltinRow{"cumprod", kTorch | kMethod, "input dim dtype?", scan_function<ops::Scan::kProduct>},
    BuiltinRow{"var", kTorch | kMethod, "input dim? unbiased? keepdim? correction?", var},
    BuiltinRow{"std", kTorch | kMethod, "input dim? unbiased? keepdim? correction?", std_function},
    BuiltinRow{"norm", kTorch | kMethod, "input p? dim? keepdim?", norm},
    BuiltinRow{"linalg.norm", kTorch, "input p? dim? keepdim?", norm},
    BuiltinRow{"linalg.vector_norm", kTorch, "input p? dim? keepdim?", norm},
    BuiltinRow{"sort", kTorch | kMethod, "input dim? descending? stable?", sort},
    BuiltinRow{"argsort", kTorch | kMethod, "input dim? descending? stable?", argsort},
    BuiltinRow{"topk", kTorch | kMethod, "input k dim? largest? sorted?", topk},
    BuiltinRow{"count_nonzero", kTorch | kMethod, "input dim?", count_nonzero},
    BuiltinRow{"allclose", kTorch | kMethod, "input other rtol? atol?", allclose},
    BuiltinRow{"equal", kTorch | kMethod, "input other", equal},
};

}  // namespace

std::span<const BuiltinRow> reduction_functions() { return kReduceFunctions; }

}  // namespace fib::reference
