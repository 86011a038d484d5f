#include <algorithm>
#include <numeric>

#include "synthesis/integer_set.h"
#include "util/error.h"

// Where sequences begin: offsets of queries, of keys, of pages; and how full their last pages are.
namespace fib::synthesis {
namespace {

bool is_of_queries(const model::TensorSpec& input) {
  return input.name.starts_with("q") || input.name.ends_with("_q");
}

constexpr std::int64_t kLongest = std::int64_t{1} << 40;  // no memory holds more tokens

// The length of a tensor in one dimension.
std::int64_t length(const IntegerSet& set, const model::TensorSpec& input) {
  const auto shape = set.shape(input);
  if (shape.size() != 1) throw Error("it has {} dimensions, not one", shape.size());
  return shape[0];
}

// The pages that all sequences have together, where there is such a list.
std::optional<std::int64_t> listed_pages(const IntegerSet& set) {
  const auto* pages = set.input_of(Meaning::page_indices);
  if (pages == nullptr || set.shape(*pages).size() != 1) return std::nullopt;
  return set.shape(*pages)[0];
}

// What no constraint says, by names: keys end with the list of pages or their own total, queries with theirs.
std::optional<std::int64_t> end_by_name(const IntegerSet& set, const model::TensorSpec& input) {
  if (is_of_queries(input)) return set.first_axis({"total_q", "total_qo", "num_tokens", "total_tokens"});
  if (input.name.find("kv") != std::string::npos) {
    const auto pages = listed_pages(set);
    return pages ? pages : set.first_axis({"total_kv", "total_k", "num_kv_indices"});
  }
  return set.first_axis({"total_seq_len", "total_tokens", "num_tokens", "total_q"});
}

std::int64_t end_of(const IntegerSet& set, const model::TensorSpec& input) {
  const auto said = last_element(set.definition(), input.name, set.axes());
  const auto end = said ? said : end_by_name(set, input);
  if (!end) throw Error("no constraint says where it ends (\"total == {}[-1].item()\")", input.name);
  return *end;
}

// Whether its unit is a page: it ends where the list of pages does.
bool counts_pages(const IntegerSet& set, const model::TensorSpec& input) {
  return !is_of_queries(input) && listed_pages(set) == end_of(set, input);
}

// Offsets of queries that go with these of keys; null when there are none, or of another length.
const model::TensorSpec* queries_of(const IntegerSet& set, const model::TensorSpec& input) {
  if (is_of_queries(input)) return nullptr;
  for (const auto& other : set.definition().inputs) {
    if (meaning_of(set.definition(), other) == Meaning::offsets && is_of_queries(other) &&
        length(set, other) == length(set, input)) {
      return &other;
    }
  }
  return nullptr;
}

// Of offsets that may come from a file, so they may be anything.
std::int64_t sequence_length(const Integers& offsets, std::size_t sequence) {
  const auto bounded = [&](std::size_t i) { return std::clamp<std::int64_t>(offsets[i], 0, kLongest); };
  return std::max<std::int64_t>(0, bounded(sequence + 1) - bounded(sequence));
}

// What each sequence has at least: one, and of keys as many as it has queries, since a query that may look
// at nothing has no answer. Where there is not enough for that: one, then none.
Integers least_sizes(IntegerSet& set, const model::TensorSpec& input, std::int64_t sequences,
                     std::int64_t end) {
  Integers least(static_cast<std::size_t>(sequences), end >= sequences ? 1 : 0);
  const auto* queries = queries_of(set, input);
  if (queries == nullptr) return least;
  const std::int64_t unit = counts_pages(set, input) ? set.page_size() : 1;
  const Integers& offsets = set.tensor(*queries);
  Integers needed = least;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    needed[i] = std::max(least[i], divide_up(sequence_length(offsets, i), unit));
  }
  return std::accumulate(needed.begin(), needed.end(), std::int64_t{0}) <= end ? needed : least;
}

// The offsets that a tensor of last pages belongs to: "kv_indptr" for "kv_last_page_len", else those that
// count pages.
const model::TensorSpec& offsets_of(const IntegerSet& set, const model::TensorSpec& input) {
  const std::string prefix = input.name.substr(0, input.name.find("last_page_len"));
  const model::TensorSpec* found = nullptr;
  for (const auto& other : set.definition().inputs) {
    if (meaning_of(set.definition(), other) != Meaning::offsets || is_of_queries(other)) continue;
    if (found == nullptr || (!prefix.empty() && other.name.starts_with(prefix))) found = &other;
  }
  if (found == nullptr) throw Error("the definition has no offsets of pages (\"kv_indptr\")");
  return *found;
}

}  // namespace

Integers make_offsets(IntegerSet& set, const model::TensorSpec& input) {
  const std::int64_t sequences = length(set, input) - 1;
  if (sequences < 0) return {};
  const std::int64_t end = end_of(set, input);
  if (sequences == 0 && end != 0)
    throw Error("it has one element, so it cannot begin with 0 and end with {}", end);
  if (end < 0 || end > kLongest) throw Error("it cannot end with {}", end);
  Draw draw = set.draw(input);
  Integers offsets = {0};
  for (const std::int64_t size : parts(draw, end, least_sizes(set, input, sequences, end))) {
    offsets.push_back(offsets.back() + size);
  }
  return offsets;
}

// A page of a sequence without pages has no tokens; elements beyond the last sequence mean nothing.
Integers make_last_page_lengths(IntegerSet& set, const model::TensorSpec& input) {
  const auto& pages_input = offsets_of(set, input);
  const Integers& pages = set.tensor(pages_input);
  const auto* queries = queries_of(set, pages_input);
  const Integers none;
  const Integers& query_offsets = queries == nullptr ? none : set.tensor(*queries);
  const std::int64_t size = set.page_size();
  Draw draw = set.draw(input);
  Integers lengths;
  for (std::size_t i = 0; i < static_cast<std::size_t>(length(set, input)); ++i) {
    const std::int64_t drawn = draw.between(1, size);
    lengths.push_back(drawn);
    if (i + 1 >= pages.size()) continue;
    const std::int64_t count = sequence_length(pages, i);
    if (count == 0) lengths.back() = 0;
    if (count == 0 || i + 1 >= query_offsets.size()) continue;
    // As many keys as queries, where the pages have room for them.
    const std::int64_t needed = sequence_length(query_offsets, i) - (count - 1) * size;
    lengths.back() = std::clamp(drawn, std::clamp<std::int64_t>(needed, 1, size), size);
  }
  return lengths;
}

}  // namespace fib::synthesis
