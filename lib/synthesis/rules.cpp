#include "synthesis/rules.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "python/parser.h"
#include "synthesis/known.h"
#include "tensor/dtype.h"
#include "util/text.h"

namespace fib::synthesis {
namespace {

using python::Expr;

bool has(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// Whether `expr` is name[-1].item().
bool is_last_item(const Expr& expr, const std::string& name) {
  const auto* call = std::get_if<python::Call>(&expr.node);
  if (call == nullptr) return false;
  const auto* method = std::get_if<python::Attribute>(&call->function->node);
  if (method == nullptr || method->name != "item") return false;
  const auto* element = std::get_if<python::Subscript>(&method->value->node);
  if (element == nullptr) return false;
  const auto* tensor = std::get_if<python::Name>(&element->value->node);
  const auto* index = std::get_if<python::Unary>(&element->index->node);
  if (tensor == nullptr || tensor->id != name || index == nullptr) return false;
  const auto* one = std::get_if<python::Constant>(&index->operand->node);
  return index->op == python::UnaryOp::kNegate && one != nullptr &&
         one->kind == python::ConstantKind::kInteger && one->integer == 1;
}

// The other side of `end == input[-1].item()`; null when the constraint says something else.
const Expr* end_in(const Expr& constraint, const std::string& input) {
  const auto* compare = std::get_if<python::Compare>(&constraint.node);
  if (compare == nullptr || compare->ops.size() != 1 || compare->ops[0] != python::CompareOp::kEq)
    return nullptr;
  if (is_last_item(*compare->comparators[0], input)) return compare->left.get();
  return is_last_item(*compare->left, input) ? compare->comparators[0].get() : nullptr;
}

// Calls `see` with the end that each constraint names, until it returns true.
template <typename See>
bool any_end(const model::Definition& definition, const std::string& input, See see) {
  for (const auto& text : definition.constraints.value_or(std::vector<std::string>{})) {
    try {
      const auto constraint = python::parse_expression(text);
      const Expr* end = end_in(*constraint, input);
      if (end != nullptr && see(*end)) return true;
    } catch (const Error&) {  // no expression: `fib validate` says so
    }
  }
  return false;
}

std::optional<Rule> rule_of_scalar(const std::string& name) {
  if (has(name, {"expert_offset"})) return Rule::expert_offset;
  if (name == "top_k" || name == "topk") return Rule::top_k;
  return std::nullopt;
}

bool is_of_experts(const std::string& name) {
  return has(name, {"topk_id", "topk_ind", "top_k_ind", "expert_id", "expert_ind", "selected_expert"});
}

bool is_of_states(const std::string& name) {
  const bool index = has(name, {"indices", "index", "idx", "slot"});
  return (has(name, {"state", "cache"}) && index && !has(name, {"kv_"})) || has(name, {"slot"});
}

std::optional<Rule> rule_by_name(const std::string& name, const std::string& description) {
  if (has(name, {"indptr", "cu_seq", "cu_q", "cu_k", "offsets"})) return Rule::offsets;
  if (has(name, {"last_page_len"})) return Rule::last_page_lengths;
  if (has(name, {"block_table", "page_table"})) return Rule::block_table;
  if (has(name, {"sparse_ind"})) return Rule::sparse_indices;
  if (is_of_experts(name)) return has(description, {"packed"}) ? Rule::packed_experts : Rule::expert_indices;
  if (is_of_states(name)) return Rule::state_indices;
  if (has(name, {"kv_indices", "page_ind", "page_id", "block_ind"})) return Rule::page_indices;
  if (has(name, {"seq_len", "seqlen", "context_len", "kv_len"})) return Rule::lengths;
  if (has(name, {"position", "pos_id"})) return Rule::positions;
  if (has(name, {"top_k", "topk"})) return Rule::top_k;
  if (has(name, {"token", "input_id", "label"})) return Rule::tokens;
  return std::nullopt;
}

std::optional<Rule> rule_by_description(const std::string& description) {
  if (has(description, {"page id", "page ind"})) return Rule::page_indices;
  if (has(description, {"sequence length"})) return Rule::lengths;
  if (has(description, {"position"})) return Rule::positions;
  return std::nullopt;
}

}  // namespace

bool is_integer(const model::TensorSpec& input) {
  const auto dtype = tensor::dtype_from_name(input.dtype);
  return dtype && !tensor::is_floating(*dtype);
}

std::optional<Rule> rule_of(const model::Definition& definition, const model::TensorSpec& input) {
  if (!is_integer(input)) return std::nullopt;
  const std::string name = util::lowered(input.name);
  const std::string description = util::lowered(input.description.value_or(std::nullopt).value_or(""));
  if (input.is_scalar()) return rule_of_scalar(name);
  const bool is_flat = input.shape->size() == 1;
  if (is_flat && any_end(definition, input.name, [](const Expr&) { return true; })) return Rule::offsets;
  if (input.dtype == "bool") return Rule::mask;
  if (input.dtype == "int8" || input.dtype == "uint8") return Rule::bytes;
  const auto by_name = rule_by_name(name, description);
  return by_name ? by_name : rule_by_description(description);
}

bool is_structural(Rule rule) { return rule != Rule::bytes && rule != Rule::mask; }

std::optional<std::int64_t> last_element(const model::Definition& definition, const std::string& input,
                                         const model::AxisValues& axes) {
  const std::map<std::string, Integers> none;
  std::optional<std::int64_t> end;
  any_end(definition, input, [&](const Expr& expression) {
    end = model::number_of(expression, Known(definition, axes, none));
    return end.has_value();
  });
  return end;
}

}  // namespace fib::synthesis
