#include "eval/rule.h"

#include <algorithm>
#include <array>
#include <optional>

#include "eval/dsa_attention.h"
#include "eval/dsa_indexer.h"
#include "eval/low_bit.h"
#include "eval/sampling.h"

namespace fib::eval {
namespace {

// What a host evaluator is made from.
struct EvaluatorInputs {
  const model::Definition& definition;
  const Layout& layout;
  const Tolerance& tolerance;
  std::string_view seed;
  unsigned threads;
};

std::unique_ptr<HostEvaluator> sampling_evaluator(const EvaluatorInputs& from) {
  return make_sampling_evaluator(from.definition, from.layout, from.seed, from.threads);
}

std::unique_ptr<HostEvaluator> indexer_evaluator(const EvaluatorInputs& from) {
  return make_dsa_indexer_evaluator(from.layout, from.tolerance, from.threads);
}

struct RuleRow {
  Rule rule{};
  std::string_view name;
  bool (*is_for)(const model::Definition&) = nullptr;  // null: the default alone
  double matched_ratio = 1;
  std::optional<std::size_t> least_outputs = std::nullopt;  // nothing: all
  bool needs_expected = true;
  bool lets_ties_differ = false;
  model::ErrorCode error_code = model::ErrorCode::wrong_values;
  // Of rules that look at more than elements.
  std::unique_ptr<HostEvaluator> (*make_evaluator)(const EvaluatorInputs&) = nullptr;
};

constexpr std::array kRows = {
    RuleRow{.rule = Rule::kDefault, .name = "default"},
    RuleRow{.rule = Rule::kSampling,
            .name = "sampling",
            .is_for = is_sampling,
            .needs_expected = false,
            .error_code = model::ErrorCode::wrong_distribution,
            .make_evaluator = sampling_evaluator},
    RuleRow{
        .rule = Rule::kLowBit, .name = "low-bit", .is_for = is_low_bit, .matched_ratio = kLowBitMatchedRatio},
    RuleRow{.rule = Rule::kDsaAttention,
            .name = "dsa-attention",
            .is_for = is_dsa_attention,
            .least_outputs = kLeastDsaAttentionOutputs},
    RuleRow{.rule = Rule::kDsaIndexer,
            .name = "dsa-indexer",
            .is_for = is_dsa_indexer,
            .lets_ties_differ = true,
            .make_evaluator = indexer_evaluator},
};

// A host evaluator is handed whole buffers: it cannot tell which outputs were not returned.
static_assert(std::none_of(kRows.begin(), kRows.end(), [](const RuleRow& row) {
  return row.least_outputs && row.make_evaluator != nullptr;
}));

const RuleRow& row_of(Rule rule) {
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [rule](const RuleRow& one) { return one.rule == rule; });
  if (row == kRows.end()) throw Error("there is no rule of judging number {}", static_cast<int>(rule));
  return *row;
}

}  // namespace

std::string_view name_of(Rule rule) { return row_of(rule).name; }

Rule rule_of(const model::Definition& definition) {
  const RuleRow* found = nullptr;
  for (const RuleRow& row : kRows) {
    if (row.is_for == nullptr || !row.is_for(definition)) continue;
    if (found != nullptr) {
      throw Error("two rules of judging claim definition {}: {} and {}", definition.name, found->name,
                  row.name);
    }
    found = &row;
  }
  return found != nullptr ? found->rule : Rule::kDefault;
}

double usual_matched_ratio(Rule rule, const model::Definition& definition) {
  return definition.op_type == "moe" ? kLowBitMatchedRatio : row_of(rule).matched_ratio;
}

bool records_matched_ratio(Rule rule) { return row_of(rule).matched_ratio < 1; }

std::size_t least_outputs(Rule rule, std::size_t outputs) {
  return std::min(row_of(rule).least_outputs.value_or(outputs), outputs);
}

bool needs_expected(Rule rule) { return row_of(rule).needs_expected; }

bool lets_ties_differ(Rule rule) { return row_of(rule).lets_ties_differ; }

model::ErrorCode error_code_of(Rule rule) { return row_of(rule).error_code; }

std::unique_ptr<HostEvaluator> make_host_evaluator(Rule rule, const model::Definition& definition,
                                                   const Layout& layout, const Tolerance& tolerance,
                                                   std::string_view seed, unsigned threads) {
  const RuleRow& row = row_of(rule);
  if (row.make_evaluator == nullptr) return nullptr;
  return row.make_evaluator({definition, layout, tolerance, seed, threads});
}

}  // namespace fib::eval
