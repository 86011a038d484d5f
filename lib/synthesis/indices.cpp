#include <algorithm>
#include <cmath>

#include "synthesis/integer_set.h"
#include "tensor/convert.h"
#include "tensor/random.h"
#include "tensor/shape.h"
#include "util/error.h"

// Indices into pages, tokens, states, experts and vocabularies, and other numbers with a range.
namespace fib::synthesis {
namespace {

// Numbers of rows and columns of a tensor: its last dimension is a row.
struct Rows {
  std::int64_t count = 1;
  std::int64_t columns = 1;
};

Rows rows_of(const IntegerSet& set, const model::TensorSpec& input) {
  const auto shape = set.shape(input);
  const auto all = tensor::element_count(shape);
  if (!all) throw Error("it is too large");
  Rows rows;
  rows.columns = shape.empty() ? 1 : shape.back();
  rows.count = rows.columns == 0 ? 0 : *all / rows.columns;
  return rows;
}

std::int64_t require(std::optional<std::int64_t> bound, const char* what, const char* axis) {
  if (!bound) throw Error("the definition does not say how many {} there are (an axis \"{}\")", what, axis);
  if (*bound <= 0) throw Error("there are no {} to choose from", what);
  return *bound;
}

std::optional<std::int64_t> pages_of(const IntegerSet& set) {
  const auto said = set.first_axis({"num_pages", "num_blocks", "total_pages"});
  return said ? said : set.first_dimension("cache");
}

// Of all pages together.
std::optional<std::int64_t> tokens_of(const IntegerSet& set) {
  const auto pages = pages_of(set);
  std::int64_t tokens = 0;
  if (pages && __builtin_mul_overflow(*pages, set.page_size(), &tokens))
    throw Error("there are too many pages");
  return pages ? std::optional(tokens) : std::nullopt;
}

std::int64_t experts_of(const IntegerSet& set) {
  return require(set.first_axis({"num_experts", "num_global_experts", "n_experts", "num_local_experts"}),
                 "experts", "num_experts");
}

// As long as a sequence of the block table can be, or as some axis says.
std::int64_t longest_sequence(const IntegerSet& set) {
  const auto* table = set.input_of(Meaning::block_table);
  const auto longest = table != nullptr
                           ? std::optional(rows_of(set, *table).columns * set.page_size())
                           : set.first_axis({"max_seq_len", "max_kv_len", "max_len", "seq_len", "kv_len"});
  return require(longest, "tokens in a sequence", "max_seq_len");
}

std::int64_t positions_of(const IntegerSet& set) {
  const auto said = set.first_axis({"max_seq_len", "max_position", "max_position_embeddings"});
  return require(said ? said : set.first_dimension("cos"), "positions", "max_seq_len");
}

std::int64_t slots_of(const IntegerSet& set, const model::TensorSpec& input) {
  if (input.name.find("slot_mapping") != std::string::npos)
    return require(tokens_of(set), "slots", "num_pages");
  const auto said =
      set.first_axis({"pool_size", "state_cache_size", "num_slots", "num_states", "cache_size"});
  if (said) return require(said, "states", "pool_size");
  const auto state = set.first_dimension("state");
  return require(state ? state : set.first_dimension("cache"), "states", "pool_size");
}

// A row of indices of tokens, without repetition. Where the description speaks of -1, every other row is
// short, as those of young sequences are, and every row that has more room than there are tokens.
void add_sparse_row(Draw& draw, std::int64_t columns, std::int64_t tokens, bool is_short, Integers& target) {
  const std::int64_t most = std::min(columns, tokens);
  const std::int64_t used = is_short ? draw.between(std::max<std::int64_t>(1, most / 2), most) : most;
  const Integers row = distinct(draw, used, tokens);
  target.insert(target.end(), row.begin(), row.end());
  target.insert(target.end(), static_cast<std::size_t>(columns - used), -1);
}

Integers make_sparse_indices(const IntegerSet& set, const model::TensorSpec& input, Draw& draw) {
  const Rows rows = rows_of(set, input);
  const std::int64_t tokens = require(tokens_of(set), "tokens", "num_pages");
  const std::string description = input.description.value_or(std::nullopt).value_or("");
  const bool pads = description.find("-1") != std::string::npos;
  Integers indices;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (pads) {
      add_sparse_row(draw, rows.columns, tokens, row % 2 == 1, indices);
    } else {
      const Integers all = distinct(draw, rows.columns, tokens);
      indices.insert(indices.end(), all.begin(), all.end());
    }
  }
  return indices;
}

Integers make_expert_rows(const IntegerSet& set, const model::TensorSpec& input, Draw& draw) {
  const Rows rows = rows_of(set, input);
  const std::int64_t experts = experts_of(set);
  Integers indices;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const Integers chosen = distinct(draw, rows.columns, experts);
    indices.insert(indices.end(), chosen.begin(), chosen.end());
  }
  return indices;
}

// The weights of a row sum to 1, as those of a router do.
Integers make_packed_experts(const IntegerSet& set, const model::TensorSpec& input, Draw& draw) {
  const Rows rows = rows_of(set, input);
  if (experts_of(set) > 32768) throw Error("more than 32768 experts do not fit 16 bits");
  Integers packed = make_expert_rows(set, input, draw);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const auto begin = static_cast<std::size_t>(row * rows.columns);
    const auto columns = static_cast<std::size_t>(rows.columns);
    Integers shares(columns);
    std::int64_t sum = 0;
    for (auto& share : shares) sum += share = draw.between(1, 1000);
    for (std::size_t i = 0; i < columns; ++i) {
      const float weight = static_cast<float>(shares[i]) / static_cast<float>(sum);
      packed[begin + i] = packed[begin + i] * 65536 + tensor::float_to_bfloat16(weight);
    }
  }
  return packed;
}

// Of every row at least the first is true: attention over nothing has no answer.
Integers make_mask(const IntegerSet& set, const model::TensorSpec& input, Draw& draw) {
  const Rows rows = rows_of(set, input);
  Integers mask;
  for (std::int64_t i = 0; i < rows.count * rows.columns; ++i) {
    mask.push_back(i % rows.columns == 0 ? 1 : draw.below(2));
  }
  return mask;
}

// Global experts are split evenly over the machines; this is where one of them begins.
std::int64_t make_expert_offset(const IntegerSet& set, Draw& draw) {
  const std::int64_t experts = experts_of(set);
  const std::int64_t local = set.first_axis({"num_local_experts"}).value_or(experts);
  return local <= 0 ? 0 : local * draw.below(std::max<std::int64_t>(1, experts / local));
}

Integers make_range(Draw& draw, std::int64_t count, std::int64_t low, std::int64_t high) {
  Integers numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(draw.between(low, high));
  return numbers;
}

}  // namespace

Integers make_indices(IntegerSet& set, const model::TensorSpec& input, Meaning meaning) {
  constexpr std::int64_t kMostTopK = 1000;
  Draw draw = set.draw(input);
  const Rows rows = rows_of(set, input);
  const std::int64_t count = rows.count * rows.columns;
  if (count == 0) return {};
  switch (meaning) {
    case Meaning::page_indices:
    case Meaning::block_table:
      return distinct(draw, count, require(pages_of(set), "pages", "num_pages"));
    case Meaning::sparse_indices:
      return make_sparse_indices(set, input, draw);
    case Meaning::lengths:
      return make_range(draw, count, 1, longest_sequence(set));
    case Meaning::positions:
      return make_range(draw, count, 0, positions_of(set) - 1);
    case Meaning::state_indices:
      return distinct(draw, count, slots_of(set, input));
    case Meaning::expert_offset:
      return {make_expert_offset(set, draw)};
    case Meaning::expert_indices:
      return make_expert_rows(set, input, draw);
    case Meaning::packed_experts:
      return make_packed_experts(set, input, draw);
    case Meaning::top_k: {
      const auto of = require(set.first_axis({"vocab_size", "num_experts"}), "candidates", "vocab_size");
      return make_range(draw, count, 1, std::min(of, kMostTopK));
    }
    case Meaning::tokens:
      return make_range(draw, count, 0, require(set.first_axis({"vocab_size"}), "tokens", "vocab_size") - 1);
    case Meaning::mask:
      return make_mask(set, input, draw);
    default:
      throw Error("it has no range");
  }
}

}  // namespace fib::synthesis
