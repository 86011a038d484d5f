#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "arguments/signature.h"
#include "tracing/rule.h"

namespace fib::tracing {

// Decides which calls of one definition are kept, by the axes of each call and by what it has kept before.
//
// Calls of the policy first_by_axes are told apart by the values of all axes, those of attention by
//   - the values of all axes but num_pages, total_q, len_indptr, num_kv_indices and total_kv,
//   - avg_kv_len: num_kv_indices (pages of a paged cache), or total_kv (tokens) where that is no axis,
//   divided
//     by the number of sequences, which is len_indptr - 1,
//   - avg_q_len: total_q divided by the number of sequences; 1 where total_q is no axis.
// Averages are rounded to the nearest whole number, halves to the even one; they are 0 without sequences. A
// definition without an axis len_indptr, or without both of num_kv_indices and total_kv, has no such
// averages: there attention tells calls apart as first_by_axes does. The device never counts.
//
// One thread at a time.
class Filter {
 public:
  Filter(const FilterPolicy& policy, const arguments::Signature& signature);

  // Whether this call is to be kept; then it counts. Allocates only for a key that is new.
  [[nodiscard]] bool take(const arguments::Case& found);

  // Of a call that take() took: it could not be kept, so it does not count.
  void give_back(const arguments::Case& found);

 private:
  [[nodiscard]] arguments::Case key_of(const arguments::Case& found) const;
  [[nodiscard]] bool is_by_key() const;

  using Axis = std::optional<std::size_t>;  // its place in Signature::axes()
  FilterPolicy policy_;
  bool has_averages_ = false;
  Axis pages_, queries_, sequences_, indices_, tokens_;
  std::int64_t kept_ = 0;
  std::unordered_map<arguments::Case, std::int64_t> kept_by_key_;
};

}  // namespace fib::tracing
