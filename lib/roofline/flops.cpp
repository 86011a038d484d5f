#include "roofline/flops.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace fib::roofline {
namespace {

using model::TensorSpec;

bool is_matrix(const TensorSpec& tensor) {
  return tensor.shape && tensor.shape->size() >= 2 && tensor.dtype != "int32" && tensor.dtype != "int64" &&
         tensor.dtype != "bool";
}

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Of operands of different types the narrower one counts: it allows the higher rate.
Arithmetic narrower(const TensorSpec& left, const TensorSpec& right) {
  const bool first = bits_of(left.dtype) <= bits_of(right.dtype);
  return arithmetic_of(first ? left.dtype : right.dtype);
}

// The axes of a contraction: those of the output, then those that both operands share and the output lacks.
// Empty when it is none.
std::vector<std::string> contracted_axes(const TensorSpec& left, const TensorSpec& right,
                                         const TensorSpec& output) {
  std::vector<std::string> axes = *output.shape;
  for (const std::string& axis : axes) {
    if (!has(*left.shape, axis) && !has(*right.shape, axis)) return {};
  }
  bool sums = false;
  for (const std::string& axis : *left.shape) {
    if (has(axes, axis) || !has(*right.shape, axis)) continue;
    axes.push_back(axis);
    sums = true;
  }
  const auto covered = [&](const std::string& axis) { return has(axes, axis); };
  const bool whole = std::all_of(left.shape->begin(), left.shape->end(), covered) &&
                     std::all_of(right.shape->begin(), right.shape->end(), covered);
  return sums && whole ? axes : std::vector<std::string>{};
}

// Exactly two operands, or for gemms the only two inputs that make the output (others are scales and biases).
std::optional<Flops> contraction(const Shapes& shapes) {
  const auto& definition = shapes.definition();
  if (definition.outputs.size() != 1 || !is_matrix(definition.outputs[0])) return std::nullopt;
  std::vector<const TensorSpec*> tensors;
  for (const TensorSpec& input : definition.inputs) {
    if (!input.is_scalar()) tensors.push_back(&input);
  }
  const bool gemm = contains_any(definition.op_type, {"gemm", "bmm", "matmul", "linear"});
  if (tensors.size() != 2 && !gemm) return std::nullopt;
  std::optional<Flops> found;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (std::size_t j = i + 1; j < tensors.size(); ++j) {
      if (!is_matrix(*tensors[i]) || !is_matrix(*tensors[j])) continue;
      const auto axes = contracted_axes(*tensors[i], *tensors[j], definition.outputs[0]);
      if (axes.empty()) continue;
      if (found) return std::nullopt;
      found = Flops{2, narrower(*tensors[i], *tensors[j]), fmt::format("2 * {}", fmt::join(axes, " * "))};
      for (const std::string& axis : axes) *found->flops *= shapes.size(axis);
    }
  }
  return found;
}

struct Attention {
  double heads = 0;
  double qk = 0;  // elements of a dot product of a query and a key
  double vo = 0;  // elements of an output row
  double queries = 0;
  Arithmetic arithmetic = Arithmetic::fp32;
};

// By the queries ("q", or "q_nope" and "q_pe" side by side), each [queries, heads, elements], and the first
// output, which has the same form.
std::optional<Attention> attention_of(const Shapes& shapes) {
  const auto& definition = shapes.definition();
  if (!contains_any(definition.op_type, {"gqa", "mha", "mla", "attention"})) return std::nullopt;
  if (definition.outputs.empty() || !is_matrix(definition.outputs[0])) return std::nullopt;
  if (definition.outputs[0].shape->size() != 3) return std::nullopt;
  Attention attention;
  attention.vo = shapes.sizes(definition.outputs[0]).back();
  for (const TensorSpec& input : definition.inputs) {
    if (input.name != "q" && !input.name.starts_with("q_")) continue;
    if (!is_matrix(input) || input.shape->size() != 3) continue;
    const auto sizes = shapes.sizes(input);
    attention.queries = sizes[0];
    attention.heads = sizes[1];
    attention.qk += sizes[2];
    attention.arithmetic = arithmetic_of(input.dtype);
  }
  if (attention.qk == 0) return std::nullopt;
  return attention;
}

// Pairs of a query and a key in a causal attention of one sequence.
double causal_pairs(double queries, double keys) {
  if (queries > keys) return keys * (keys + 1) / 2;
  return queries * keys - queries * (queries - 1) / 2;
}

Flops attention_flops(const Shapes& shapes, const Attention& attention) {
  const auto keys = shapes.fewest_tokens();
  const auto sequences = shapes.sequences();
  const bool ragged = shapes.input("qo_indptr") != nullptr;
  Flops result{std::nullopt, attention.arithmetic,
               "unknown: the shapes do not tell how many keys a query sees"};
  if (!keys || !sequences) return result;
  const std::string factor =
      fmt::format("2 * {:.0f} heads * ({:.0f} + {:.0f})", attention.heads, attention.qk, attention.vo);
  const double per_pair = 2 * attention.heads * (attention.qk + attention.vo);
  if (!ragged && *sequences == attention.queries) {
    result.flops = per_pair * *keys;
    result.rule = fmt::format("{} * {:.0f} keys", factor, *keys);
  } else if (ragged && *sequences == 1) {
    const double pairs = causal_pairs(attention.queries, *keys);
    result.flops = per_pair * pairs;
    result.rule = fmt::format("{} * {:.0f} causal pairs", factor, pairs);
  } else {
    result.rule = "unknown: the lengths of the sequences stand in index tensors";
  }
  return result;
}

Flops experts_flops(const Shapes& shapes) {
  const TensorSpec* logits = shapes.input("routing_logits");
  const TensorSpec* first = shapes.input("gemm1_weights");
  const TensorSpec* second = shapes.input("gemm2_weights");
  const auto top_k = shapes.axis("top_k");
  Flops result{std::nullopt, Arithmetic::fp32, "unknown: the routing decides which experts work"};
  if (logits == nullptr || first == nullptr || second == nullptr || !top_k) return result;
  const auto routing = shapes.sizes(*logits);
  const auto up = shapes.sizes(*first);
  const auto down = shapes.sizes(*second);
  const TensorSpec* hidden = shapes.input("hidden_states");
  if (hidden == nullptr || routing.size() != 2 || up.size() != 3 || down.size() != 3 || routing[1] != up[0])
    return result;
  result.flops = routing[0] * *top_k * 2 * (up[1] * up[2] + down[1] * down[2]);
  result.arithmetic = narrower(*hidden, *first);
  result.rule = fmt::format("{:.0f} tokens * {:.0f} experts * 2 * ({:.0f} * {:.0f} + {:.0f} * {:.0f})",
                            routing[0], *top_k, up[1], up[2], down[1], down[2]);
  return result;
}

}  // namespace

Flops flops_of(const Shapes& shapes) {
  if (shapes.definition().op_type == "moe") return experts_flops(shapes);
  if (const auto attention = attention_of(shapes)) return attention_flops(shapes, *attention);
  if (auto product = contraction(shapes)) return *product;
  return {std::nullopt, Arithmetic::fp32, "none: no product that the shapes tell the size of"};
}

}  // namespace fib::roofline
