#include <array>
#include <cmath>
#include <limits>

#include "ops/index.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/tensor_math.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

Value gelu(const Runtime& runtime, const Arguments& a) {
  const std::string approximate = a.has("approximate") ? a.text("approximate") : "none";
  if (approximate != "none" && approximate != "tanh")
    throw Error("gelu has no approximation \"{}\"", approximate);
  return unary(runtime, ops::unary_op(approximate == "tanh" ? "gelu_tanh" : "gelu"), a.tensor("input"));
}

Value softplus(const Runtime& runtime, const Arguments& a) {
  if (a.real_or("beta", 1) != 1 || a.real_or("threshold", 20) != 20) {
    throw Error("softplus with another beta or threshold is not supported by the native reference engine");
  }
  return unary(runtime, ops::unary_op("softplus"), a.tensor("input"));
}

Value leaky_relu(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const Tensor scaled = mul(runtime, input, a.real_or("negative_slope", 0.01));
  const ops::Operand zero{scalar_tensor(runtime, DType::kFloat64, 0.0), true};
  return where(runtime, binary(runtime, ops::binary_op("gt"), {input, false}, zero), {input, false},
               {scaled, false});
}

// The dimensions that layer_norm and rms_norm normalise over: the last ones.
ops::Dims normalized_dims(const Arguments& a, const Tensor& input) {
  const std::vector<std::int64_t> shape = a.integers("normalized_shape");
  ops::Dims dims;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(shape.size());
    if (shape.size() > input.shape.size() || input.size(ops::wrap_dim(dim, input.rank())) != shape[i]) {
      throw Error("{} got a normalized_shape that is not the end of {}", a.function_name(),
                  tensor::to_string(input.shape));
    }
    dims.push_back(dim);
  }
  return dims;
}

Tensor with_weight_and_bias(const Runtime& runtime, const Arguments& a, Tensor normalized, bool has_bias) {
  if (a.has("weight")) normalized = mul(runtime, normalized, widened_float(runtime, a.tensor("weight")));
  if (has_bias && a.has("bias"))
    normalized = add(runtime, normalized, widened_float(runtime, a.tensor("bias")));
  return to_dtype(runtime, normalized, a.tensor("input").dtype);
}

Value layer_norm(const Runtime& runtime, const Arguments& a) {
  const Tensor input = widened_float(runtime, a.tensor("input"));
  const ops::Dims dims = normalized_dims(a, input);
  const Tensor mean = reduce(runtime, ops::Reduction::kMean, input, dims, ops::KeepDim::kYes);
  const Tensor spread =
      add(runtime, variance(runtime, input, dims, ops::KeepDim::kYes, 0), a.real_or("eps", 1e-5));
  const Tensor scale = unary(runtime, ops::unary_op("rsqrt"), spread);
  return with_weight_and_bias(runtime, a, mul(runtime, sub(runtime, input, mean), scale), true);
}

Value rms_norm(const Runtime& runtime, const Arguments& a) {
  const Tensor input = widened_float(runtime, a.tensor("input"));
  const ops::Dims dims = normalized_dims(a, input);
  const Tensor squares = unary(runtime, ops::unary_op("square"), input);
  // Without eps torch takes the epsilon of the input's own dtype.
  const DType dtype = a.tensor("input").dtype;
  const double epsilon = dtype == DType::kFloat64    ? std::numeric_limits<double>::epsilon()
                         : dtype == DType::kFloat16  ? 0x1p-10
                         : dtype == DType::kBFloat16 ? 0x1p-7
                                                     : std::numeric_limits<float>::epsilon();
  const Tensor mean = reduce(runtime, ops::Reduction::kMean, squares, dims, ops::KeepDim::kYes);
  const Tensor scale = unary(runtime, ops::unary_op("rsqrt"), add(runtime, mean, a.real_or("eps", epsilon)));
  return with_weight_and_bias(runtime, a, mul(runtime, input, scale), false);
}

Value normalize(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (a.real_or("p", 2) != 2)
    throw Error("normalize with p other than 2 is not supported by the native reference engine");
  const Tensor norm =
      reduce(runtime, ops::Reduction::kNorm, input, {a.integer_or("dim", 1)}, ops::KeepDim::kYes);
  const ops::Operand smallest{scalar_tensor(runtime, DType::kFloat64, a.real_or("eps", 1e-12)), true};
  const Tensor divisor = binary(runtime, ops::binary_op("maximum"), {norm, false}, smallest);
  return binary(runtime, ops::binary_op("div"), {input, false}, {divisor, false});
}

Value pad(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (a.has("mode") && a.text("mode") != "constant")
    throw Error("pad with mode \"{}\" is not supported by the native reference engine", a.text("mode"));
  const std::vector<std::int64_t> widths = a.integers("pad");
  if (widths.size() % 2 != 0 || widths.size() / 2 > input.shape.size())
    throw Error("pad got {} widths for {} dimensions", widths.size(), input.rank());
  Shape shape = input.shape;
  Tensor source = input;
  std::vector<std::int64_t> starts(shape.size(), 0);
  for (std::size_t i = 0; i < widths.size() / 2; ++i) {
    const std::size_t dim = shape.size() - 1 - i;
    const std::int64_t before = widths[2 * i];
    const std::int64_t after = widths[2 * i + 1];
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    if (std::max(std::abs(before), std::abs(after)) > kMost)
      throw Error("pad got a width of {}", std::max(before, after));
    shape[dim] += before + after;
    // Negative widths cut off.
    const std::int64_t cut = std::max<std::int64_t>(0, -before);
    const std::int64_t kept =
        std::max<std::int64_t>(0, input.shape[dim] - cut - std::max<std::int64_t>(0, -after));
    source = narrow(source, static_cast<int>(dim), cut, kept);
    starts[dim] = std::max<std::int64_t>(0, before);
  }
  const Tensor result = make_empty(runtime, input.dtype, shape);
  fill(runtime, result, a.real_or("value", 0));
  Tensor inner = result;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    inner = narrow(inner, static_cast<int>(dim), starts[dim], source.shape[dim]);
  copy_into(runtime, source, inner);
  return result;
}

Value one_hot(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  std::int64_t classes = a.integer_or("num_classes", -1);
  if (classes < 0)
    classes = item_as_int(reduce(runtime, ops::Reduction::kMax, input, {}, ops::KeepDim::kNo)) + 1;
  const Tensor all = make_empty(runtime, DType::kInt64, {classes});
  for (std::int64_t i = 0; i < classes; ++i) reinterpret_cast<std::int64_t*>(all.data())[i] = i;
  const Tensor matches = binary(runtime, ops::binary_op("eq"), {unsqueeze(input, -1), false}, {all, false});
  return converted(runtime, matches, DType::kInt64);
}

Value embedding(const Runtime& runtime, const Arguments& a) {
  return get_index(runtime, a.tensor("weight"), {a.tensor("input")});
}

Tensor attention_mask(const Runtime& runtime, const Arguments& a, const Tensor& scores) {
  const std::int64_t rows = scores.size(scores.rank() - 2);
  const std::int64_t columns = scores.shape.back();
  const ops::Operand zero{scalar_tensor(runtime, DType::kFloat32, 0.0), false};
  const ops::Operand never{scalar_tensor(runtime, DType::kFloat32, -std::numeric_limits<double>::infinity()),
                           false};
  if (a.flag_or("is_causal", false)) {
    const Tensor allowed = make_zeros(runtime, DType::kBool, {rows, columns});
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j <= std::min(i, columns - 1); ++j)
        allowed.data()[i * columns + j] = std::byte{1};
    }
    return where(runtime, allowed, zero, never);
  }
  if (!a.has("attn_mask")) return zero.tensor;
  const Tensor mask = a.tensor("attn_mask");
  return mask.dtype == DType::kBool ? where(runtime, mask, zero, never) : mask;
}

Value attention(const Runtime& runtime, const Arguments& a) {
  if (a.real_or("dropout_p", 0) != 0) throw Error("dropout is not supported by the native reference engine");
  const Tensor query = widened_float(runtime, a.tensor("query"));
  if (query.rank() < 2) throw Error("{} needs tensors of at least 2 dimensions", a.function_name());
  Tensor key = widened_float(runtime, a.tensor("key"));
  Tensor value = widened_float(runtime, a.tensor("value"));
  if (a.flag_or("enable_gqa", false)) {
    const std::int64_t groups =
        query.size(query.rank() - 3) / std::max<std::int64_t>(1, key.size(key.rank() - 3));
    const Tensor repeats = scalar_tensor(runtime, DType::kInt64, groups);
    key = repeat_interleave(runtime, key, repeats, -3);
    value = repeat_interleave(runtime, value, repeats, -3);
  }
  const double scale = a.real_or("scale", 1.0 / std::sqrt(static_cast<double>(query.shape.back())));
  Tensor scores = mul(runtime, matmul(runtime, query, transpose(key, -2, -1)), scale);
  scores = add(runtime, scores, attention_mask(runtime, a, scores));
  const Tensor result = matmul(runtime, softmax(runtime, ops::SoftmaxKind::kSoftmax, scores, -1), value);
  return to_dtype(runtime, result, a.tensor("query").dtype);
}

Value dropout(const Runtime&, const Arguments& a) {
  if (a.flag_or("training", true) && a.real_or("p", 0.5) != 0) {
    throw Error("dropout is not supported by the native reference engine");
  }
  return a.tensor("input");
}

constexpr std::array kNeuralFunctions = {
    BuiltinRow{"gelu", kFunctional, "input approximate?", gelu},
    BuiltinRow{"softplus", kFunctional, "input beta? threshold?", softplus},
    BuiltinRow{"leaky_relu", kFunctional, "input negative_slope? inplace?", leaky_relu},
    BuiltinRow{"layer_norm", kFunctional | kTorch, "input normalized_shape weight? bias? eps?", layer_norm},
    BuiltinRow{"rms_norm", kFunctional | kTorch, "input normalized_shape weight? eps?", rms_norm},
    BuiltinRow{"normalize", kFunctional, "input p? dim? eps?", normalize},
    BuiltinRow{"pad", kFunctional, "input pad mode? value?", pad},
    BuiltinRow{"one_hot", kFunctional, "input num_classes?", one_hot},
    BuiltinRow{"embedding", kFunctional, "input weight", embedding},
    BuiltinRow{"scaled_dot_product_attention", kFunctional,
               "query key value attn_mask? dropout_p? is_causal? scale? enable_gqa?", attention},
    BuiltinRow{"dropout", kFunctional, "input p? training? inplace?", dropout},
};

}  // namespace

std::span<const BuiltinRow> neural_functions() { return kNeuralFunctions; }

}  // namespace fib::reference
