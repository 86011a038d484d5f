#include "synthesis/sizes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "model/axis_expression.h"
#include "python/parser.h"
#include "synthesis/known_values.h"
#include "util/error.h"

namespace fib::synthesis {
namespace {

using Ordered = model::Ordered<model::Integer>;

// What a name stands for at a size; pages hold `page` tokens.
class Wishes {
 public:
  Wishes(const model::Definition& definition, const Size& size) : definition_(definition), size_(size) {
    const auto* axis = model::find(definition.axes, "page_size");
    if (axis != nullptr && axis->is_const() && axis->value->fits())
      page_ = std::clamp<std::int64_t>(axis->value->value, 1, 1 << 30);
  }

  [[nodiscard]] std::int64_t of(const std::string& axis) const {
    if (axis == "batch_size" || axis == "num_seqs") return size_.sequences;
    if (axis.starts_with("len_")) return size_.sequences + 1;
    if (axis == "total_kv") return size_.sequences * tokens();
    if (axis.starts_with("total_")) return size_.sequences * size_.queries;
    // A page more for each, since the last one need not be full.
    if (axis == "num_kv_indices") return size_.sequences * pages();
    if (axis == "max_num_pages") return pages();
    if (axis == "num_pages") return size_.sequences * pages() + 3;
    if (axis == "pool_size" || axis == "state_cache_size") return size_.sequences + 3;
    if (axis == "seq_len") return has("batch_size") ? size_.queries : size_.rows;
    if (axis == "max_seq_len") return 8 * size_.keys;
    if (axis == "num_qo_heads") return 8;
    if (axis == "num_kv_heads") return 2;
    return size_.rows;
  }

 private:
  [[nodiscard]] bool has(const char* axis) const { return model::find(definition_.axes, axis) != nullptr; }
  [[nodiscard]] std::int64_t tokens() const { return size_.queries + size_.keys; }
  [[nodiscard]] std::int64_t pages() const { return divide_up(tokens(), page_) + 1; }

  const model::Definition& definition_;
  Size size_;
  std::int64_t page_ = 1;
};

// Whether the constraint is known to be broken.
bool is_broken(const model::Definition& definition, const python::Expr& constraint,
               const Ordered& variables) {
  const auto axes = model::axis_values(definition, variables);
  const std::map<std::string, Integers> none;
  return model::judge_constraint(constraint, KnownValues(definition, axes, none)).verdict ==
         model::ConstraintVerdict::broken;
}

// Tries larger values, then smaller ones, for each of the constraint's axes in turn.
bool repair(const model::Definition& definition, const python::Expr& constraint, Ordered& variables) {
  constexpr std::int64_t kMost = 1 << 14;
  for (const auto& name : model::names_in_constraint(constraint)) {
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const auto& variable) { return variable.first == name; });
    if (found == variables.end()) continue;
    const model::Integer before = found->second;
    for (std::int64_t step = 1; step <= kMost; ++step) {
      for (const std::int64_t value : {before.value + step, before.value - step}) {
        if (value < 1) continue;
        found->second = value;
        if (!is_broken(definition, constraint, variables)) return true;
      }
    }
    found->second = before;
  }
  return false;
}

void keep_constraints(const model::Definition& definition, Ordered& variables) {
  constexpr int kRounds = 4;  // a repair may break what was repaired before
  const auto texts = definition.constraints.value_or(std::vector<std::string>{});
  for (int round = 0; round < kRounds; ++round) {
    bool changed = false;
    for (const auto& text : texts) {
      const auto constraint = python::parse_expression(text);
      if (!is_broken(definition, *constraint, variables)) continue;
      if (!repair(definition, *constraint, variables)) {
        throw Error("no sizes keep the constraint \"{}\" of {}", text, definition.name);
      }
      changed = true;
    }
    if (!changed) return;
  }
  throw Error("the constraints of {} contradict each other", definition.name);
}

// Every sequence of a block table has pages of its own.
void give_pages(Ordered& variables) {
  const auto* sequences = model::find(variables, "batch_size");
  const auto* pages = model::find(variables, "max_num_pages");
  if (sequences == nullptr || pages == nullptr) return;
  for (auto& [name, value] : variables) {
    if (name == "num_pages") value = std::max(value.value, sequences->value * pages->value);
  }
}

}  // namespace

Size halved(const Size& size) {
  const auto half = [](std::int64_t value) { return std::max<std::int64_t>(1, value / 2); };
  return {half(size.sequences), half(size.queries), half(size.keys), half(size.rows)};
}

model::AxisValues axes_of(const model::Definition& definition, const Size& size) {
  const Wishes wishes(definition, size);
  Ordered variables;
  for (const auto& name : model::var_axes(definition)) variables.emplace_back(name, wishes.of(name));
  keep_constraints(definition, variables);
  give_pages(variables);
  return model::axis_values(definition, variables);
}

}  // namespace fib::synthesis
