#include "synthesis/meaning.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "python/parser.h"
#include "synthesis/known_values.h"
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

std::optional<Meaning> meaning_of_scalar(const std::string& name) {
  if (has(name, {"expert_offset"})) return Meaning::expert_offset;
  if (name == "top_k" || name == "topk") return Meaning::top_k;
  return std::nullopt;
}

bool is_of_experts(const std::string& name) {
  return has(name, {"topk_id", "topk_ind", "top_k_ind", "expert_id", "expert_ind", "selected_expert"});
}

bool is_of_states(const std::string& name) {
  const bool index = has(name, {"indices", "index", "idx", "slot"});
  return (has(name, {"state", "cache"}) && index && !has(name, {"kv_"})) || has(name, {"slot"});
}

std::optional<Meaning> meaning_by_name(const std::string& name, const std::string& description) {
  if (has(name, {"indptr", "cu_seq", "cu_q", "cu_k", "offsets"})) return Meaning::offsets;
  if (has(name, {"last_page_len"})) return Meaning::last_page_lengths;
  if (has(name, {"block_table", "page_table"})) return Meaning::block_table;
  if (has(name, {"sparse_ind"})) return Meaning::sparse_indices;
  if (is_of_experts(name))
    return has(description, {"packed"}) ? Meaning::packed_experts : Meaning::expert_indices;
  if (is_of_states(name)) return Meaning::state_indices;
  if (has(name, {"kv_indices", "page_ind", "page_id", "block_ind"})) return Meaning::page_indices;
  if (has(name, {"seq_len", "seqlen", "context_len", "kv_len"})) return Meaning::lengths;
  if (has(name, {"position", "pos_id"})) return Meaning::positions;
  if (has(name, {"top_k", "topk"})) return Meaning::top_k;
  if (has(name, {"token", "input_id", "label"})) return Meaning::tokens;
  return std::nullopt;
}

std::optional<Meaning> meaning_by_description(const std::string& description) {
  if (has(description, {"page id", "page ind"})) return Meaning::page_indices;
  if (has(description, {"sequence length"})) return Meaning::lengths;
  if (has(description, {"position"})) return Meaning::positions;
  return std::nullopt;
}

}  // namespace

bool is_integer(const model::TensorSpec& input) {
  const auto dtype = tensor::dtype_from_name(input.dtype);
  return dtype && !tensor::is_floating(*dtype);
}

std::optional<Meaning> meaning_of(const model::Definition& definition, const model::TensorSpec& input) {
  if (!is_integer(input)) return std::nullopt;
  const std::string name = util::lowered(input.name);
  const std::string description = util::lowered(input.description.value_or(std::nullopt).value_or(""));
  if (input.is_scalar()) return meaning_of_scalar(name);
  const bool is_flat = input.shape->size() == 1;
  if (is_flat && any_end(definition, input.name, [](const Expr&) { return true; })) return Meaning::offsets;
  if (input.dtype == "bool") return Meaning::mask;
  if (input.dtype == "int8" || input.dtype == "uint8") return Meaning::bytes;
  const auto by_name = meaning_by_name(name, description);
  return by_name ? by_name : meaning_by_description(description);
}

bool is_structural(Meaning meaning) { return meaning != Meaning::bytes && meaning != Meaning::mask; }

std::optional<std::int64_t> last_element(const model::Definition& definition, const std::string& input,
                                         const model::AxisValues& axes) {
  const std::map<std::string, Integers> none;
  std::optional<std::int64_t> end;
  any_end(definition, input, [&](const Expr& expression) {
    end = model::number_of(expression, KnownValues(definition, axes, none));
    return end.has_value();
  });
  return end;
}

}  // namespace fib::synthesis
