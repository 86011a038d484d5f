#include "roofline/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fib::roofline {
namespace {

using model::TensorSpec;

// What part of a tensor counts; `why` is empty for the whole.
struct Share {
  double part = 1;
  std::string why = {};
};

enum class Role { input, output };

bool is_tensor(const TensorSpec& tensor) { return tensor.shape && !tensor.shape->empty(); }

bool is_optional(const TensorSpec& tensor) {
  return std::any_of(tensor.unknown.begin(), tensor.unknown.end(),
                     [](const auto& member) { return member.first == "optional" && member.second.boolean; });
}

// Lists of row numbers; offsets, lengths and parameters of sampling are integers too, but name no rows.
bool is_index(const TensorSpec& tensor) {
  if (!is_tensor(tensor) || (tensor.dtype != "int32" && tensor.dtype != "int64")) return false;
  if (contains_any(tensor.name, {"indptr", "cu_seqlens", "offset", "len", "seed", "num_"})) return false;
  if (tensor.shape->size() == 1) return tensor.name != "top_k";
  return contains_any(tensor.name, {"indices", "index", "ids", "table", "slot", "map", "position"});
}

bool is_position(const TensorSpec& index) { return index.name.find("position") != std::string::npos; }

bool is_padded_table(const TensorSpec& index) {
  return index.shape->size() > 1 && !contains_any(index.name, {"sparse", "topk", "top_k"});
}

// How many rows of a pool an index tensor names for certain.
struct Named {
  double rows = 0;
  bool tokens = false;  // a row is one token of a page
  std::string how = {};
};

Named named_by(const Shapes& shapes, const TensorSpec& index) {
  const std::vector<double> sizes = shapes.sizes(index);
  const bool any = sizes[0] > 0;
  if (is_position(index)) return {any ? 1.0 : 0.0, false, "one row, since " + index.name + " may repeat"};
  if (index.name == "kv_indices") {
    return {shapes.fewest_tokens().value_or(0), true,
            "the tokens of the pages that kv_indices names, each once"};
  }
  if (sizes.size() == 1 && contains_any(index.name, {"indices", "page", "block", "slot", "state"}))
    return {sizes[0], false, fmt::format("the rows that {} names, each once", index.name)};
  if (sizes.size() > 1 && !is_padded_table(index)) {
    const bool tokens = index.name.find("sparse") != std::string::npos;
    return {any ? sizes.back() : 0, tokens, fmt::format("what one line of {} names", index.name)};
  }
  return {0, false, fmt::format("nothing, since {} may repeat or be padded", index.name)};
}

class Counter {
 public:
  explicit Counter(const Shapes& shapes) : shapes_(shapes) {
    for (const TensorSpec& input : shapes.definition().inputs) {
      if (is_index(input)) indices_.push_back(&input);
    }
  }

  Bytes count() {
    Bytes result;
    for (const TensorSpec& input : shapes_.definition().inputs) result.bytes += counted(input, Role::input);
    for (const TensorSpec& output : shapes_.definition().outputs)
      result.bytes += counted(output, Role::output);
    result.rule = "all inputs and outputs once";
    for (const auto& [why, names] : less_) result.rule += fmt::format("; of {}: {}", names, why);
    return result;
  }

 private:
  double counted(const TensorSpec& tensor, Role role) {
    if (tensor.is_scalar()) return 0;
    const Share share = share_of(tensor, role);
    if (!share.why.empty()) note(share.why, tensor.name);
    return share.part * shapes_.bytes(tensor);
  }

  void note(const std::string& why, const std::string& name) {
    for (auto& [reason, names] : less_) {
      if (reason != why) continue;
      names += ", " + name;
      return;
    }
    less_.emplace_back(why, name);
  }

  [[nodiscard]] Share share_of(const TensorSpec& tensor, Role role) const {
    if (role == Role::input && is_optional(tensor)) return {0, "nothing, since it is optional"};
    if (bits_of(tensor.dtype) == 0)
      return {0, "nothing, since the size of " + tensor.dtype + " is not known"};
    if (!is_tensor(tensor)) return {};
    if (role == Role::input && is_index(tensor) && is_padded_table(tensor))
      return {0, "nothing, since it may be padded"};
    if (role == Role::input && is_expert_weight(tensor)) return expert_share(tensor);
    if (is_pool(tensor)) return pool_share(tensor);
    return role == Role::input ? query_share(tensor) : Share{};
  }

  static bool is_expert_weight(const TensorSpec& tensor) {
    return contains_any(tensor.shape->front(), {"expert"}) && !contains_any(tensor.name, {"routing", "ids"});
  }

  // A token chooses top_k of all experts; which of them are on this device is not known unless all are.
  [[nodiscard]] Share expert_share(const TensorSpec& weights) const {
    const double experts = shapes_.sizes(weights)[0];
    const double chosen = std::min(experts, shapes_.axis("top_k").value_or(1));
    const Share one_token{experts > 0 ? chosen / experts : 0,
                          "the experts of one token, all others may idle"};
    const TensorSpec* logits = shapes_.input("routing_logits");
    const TensorSpec* ids = shapes_.input("topk_ids");
    const TensorSpec* routing = logits != nullptr ? logits : ids;
    if (routing == nullptr || shapes_.bytes(*routing) == 0)
      return {0, "nothing, since no expert may be chosen"};
    if (routing == logits && shapes_.sizes(*logits).back() != experts)
      return {0, "nothing, since all chosen experts may be elsewhere"};
    return one_token;
  }

  // An axis is a pool's when it comes first in all its tensors, no integer input has it, and it does not
  // count sequences or tokens.
  [[nodiscard]] bool is_pool(const TensorSpec& tensor) const {
    const std::string& axis = tensor.shape->front();
    if (indices_.empty() || model::literal_size(axis)) return false;
    if (axis == "M" || contains_any(axis, {"batch", "total", "num_seqs", "num_tokens"}) ||
        axis.starts_with("seq"))
      return false;
    const auto hinders = [&](const TensorSpec& other) {
      if (!is_tensor(other)) return false;
      const auto& shape = *other.shape;
      const bool integers = other.dtype == "int32" || other.dtype == "int64";
      return std::find(shape.begin() + (integers ? 0 : 1), shape.end(), axis) != shape.end();
    };
    const auto& definition = shapes_.definition();
    return std::none_of(definition.inputs.begin(), definition.inputs.end(), hinders) &&
           std::none_of(definition.outputs.begin(), definition.outputs.end(), hinders);
  }

  // Tables of angles are looked up by positions, all else by the other index tensors; of several the one that
  // names least counts.
  [[nodiscard]] Named named_of(const TensorSpec& pool) const {
    const bool angles = contains_any(pool.name, {"cos", "sin", "rope", "rotary"});
    std::optional<Named> least;
    std::optional<Named> other;
    for (const TensorSpec* index : indices_) {
      const Named named = named_by(shapes_, *index);
      auto& slot = is_position(*index) == angles ? least : other;
      if (!slot || named.rows < slot->rows) slot = named;
    }
    return least ? *least : *other;
  }

  [[nodiscard]] Share pool_share(const TensorSpec& pool) const {
    const Named named = named_of(pool);
    double rows = shapes_.sizes(pool)[0];
    const bool paged = std::find(pool.shape->begin(), pool.shape->end(), "page_size") != pool.shape->end();
    if (named.tokens && paged) rows *= shapes_.axis("page_size").value_or(1);
    return {rows > 0 ? std::min(1.0, named.rows / rows) : 0, named.how};
  }

  [[nodiscard]] Share query_share(const TensorSpec& tensor) const {
    const bool causal = shapes_.definition().name.find("causal") != std::string::npos;
    const auto tokens = shapes_.most_tokens();
    if (!causal || !tokens || !tensor.name.starts_with("q") || tensor.shape->front() != "total_q") return {};
    const double rows = shapes_.sizes(tensor)[0];
    if (rows <= *tokens) return {};
    return {*tokens / rows, "as many rows as there are keys, since the mask is causal"};
  }

  const Shapes& shapes_;
  std::vector<const TensorSpec*> indices_;
  std::vector<std::pair<std::string, std::string>> less_;  // why, of which tensors
};

}  // namespace

Bytes bytes_of(const Shapes& shapes) { return Counter(shapes).count(); }

}  // namespace fib::roofline
