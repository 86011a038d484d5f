#include "tracing/presets.h"

#include <algorithm>

#include "tensor/dtype.h"

namespace fib::tracing {
namespace {

using Kind = FilterPolicy::Kind;

struct Preset {
  std::vector<std::string> inputs;
  Kind filter;
};

// docs/tracing.md has the same table.
const std::map<std::string, Preset>& presets() {
  static const Preset paged = {{"qo_indptr", "kv_indptr", "kv_indices", "kv_last_page_len"}, Kind::attention};
  static const Preset ragged = {{"qo_indptr", "kv_indptr"}, Kind::attention};
  static const std::map<std::string, Preset> table = {
      {"gemm", {{}, Kind::first_by_axes}},
      {"rmsnorm", {{}, Kind::first_by_axes}},
      {"rope", {{"positions"}, Kind::first_by_axes}},
      {"sampling", {{"top_k", "top_p"}, Kind::first_by_axes}},
      {"moe", {{"routing_logits", "routing_bias", "topk_ids"}, Kind::first_by_axes}},
      {"mamba_ssu", {{"state_batch_indices"}, Kind::first_by_axes}},
      {"gdn", {{"cu_seqlens", "initial_state_indices"}, Kind::first_by_axes}},
      {"dsa_paged", {{"sparse_indices", "seq_lens", "block_table"}, Kind::first_by_axes}},
      {"gqa_paged", paged},
      {"mla_paged", paged},
      {"gqa_ragged", ragged},
      {"mla_ragged", ragged},
  };
  return table;
}

bool is_index(const model::TensorSpec& input) {
  const auto dtype = tensor::dtype_from_name(input.dtype);
  return dtype && !tensor::is_floating(*dtype) &&
         (tensor::bits_of(*dtype) > 8 || *dtype == tensor::DType::kBool);
}

}  // namespace

Rule preset_for(const model::Definition& definition) {
  Rule rule{{DumpPolicy::Kind::named, {}}, {Kind::first_by_axes, 1}};
  const auto preset = presets().find(definition.op_type);
  if (preset != presets().end()) rule.filter.kind = preset->second.filter;
  for (const auto& input : definition.inputs) {
    const bool wanted = preset == presets().end()
                            ? is_index(input)
                            : std::find(preset->second.inputs.begin(), preset->second.inputs.end(),
                                        input.name) != preset->second.inputs.end();
    if (wanted && !input.is_scalar()) rule.dump.names.push_back(input.name);
  }
  return rule;
}

}  // namespace fib::tracing
